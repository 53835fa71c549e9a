/** The world is not ready for the tests (exit 3); says what is missing and the command that would fix it. */
export class SetupFailure extends Error {
  constructor(message, advice) {
    super(message);
    this.advice = advice;
  }
}
