/** How a run of an experiment ends a process. */
import type { RunEnd } from '../reporters/run/run-story.js';
import { EXIT } from './command.js';

const CODES: Readonly<Record<RunEnd, number>> = {
  held: EXIT.pass,
  violated: EXIT.failed,
  aborted: EXIT.failed,
  'not-injected': EXIT.neverFired,
  inconclusive: EXIT.inconclusive,
  'undo-failed': EXIT.undoFailed,
  // Nothing is proved, least of all that it held.
  unfinished: EXIT.inconclusive,
};

/** The exit code of a verdict. */
export const exitOfRun = (end: RunEnd): number => CODES[end];
