/** Nothing could be tested; says what is missing and the command that would fix it. Exit 3 blames the world, 1 our own code. */
export class SetupFailure extends Error {
  constructor(message, advice, exitCode = 3) {
    super(message);
    this.advice = advice;
    this.exitCode = exitCode;
  }
}
