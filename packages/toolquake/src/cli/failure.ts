/** From an exception to what the user reads and the exit code: bad input, the world, a sick target, or a mistake of ours. */
import { ToolquakeError, type ErrorCode } from '@toolquake/sdk/core';
import { UnfitTarget } from '../core/unfit-target.js';
import { EXIT } from './command.js';

/** What the world refused us; everything else that has a code is input that we refused. */
const ENVIRONMENT_CODES: readonly ErrorCode[] = ['COMMAND_NOT_FOUND', 'PORT_TAKEN', 'UPSTREAM_UNREACHABLE', 'NOT_WRITABLE'];

/** Text for stderr, without colours, and the exit code. */
export type Failure = { readonly message: string; readonly advice: string | undefined; readonly exitCode: number };

/** Describes an exception. Stacks are for us: they show only when `isDebugging`. */
export function describeFailure(error: unknown, isDebugging: boolean): Failure {
  if (error instanceof ToolquakeError) {
    const exitCode = ENVIRONMENT_CODES.includes(error.code) ? EXIT.environment : EXIT.badInput;
    return { message: isDebugging ? stackOf(error) : error.message, advice: error.advice, exitCode };
  }
  if (error instanceof UnfitTarget) {
    const exitCode = error.isBaseline ? EXIT.inconclusive : EXIT.failed;
    return { message: isDebugging ? stackOf(error) : error.message, advice: error.advice, exitCode };
  }
  const summary = error instanceof Error ? error.message : String(error);
  return {
    message: `Toolquake broke, and that is our mistake: ${isDebugging ? stackOf(error) : summary}`,
    advice: isDebugging
      ? 'Please report it with the text above.'
      : 'Run the same command with TOOLQUAKE_DEBUG=1 to see where, and please report it with that text.',
    exitCode: EXIT.failed,
  };
}

/** The stack with the chain of causes. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\nCaused by: ${stackOf(error.cause)}`;
}
