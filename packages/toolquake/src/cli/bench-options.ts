/** What measuring latency can be told, whatever it is for. */
import type { CommandOption } from './command.js';

/** Shared by `bench capture` and `bench compare`. */
export const BENCH_OPTIONS: readonly CommandOption[] = [
  {
    flag: '--call',
    kind: 'text',
    value: 'TOOL JSON',
    isRepeatable: true,
    about: `What to call, with its arguments: 'search {"q":"shoes"}'. Without it, the canaries of the target, or the calls of the baseline file.`,
  },
  {
    flag: '--iterations',
    kind: 'integer',
    value: 'CALLS',
    min: 1,
    max: 1_000_000,
    about: 'Ratio, history, capture: calls to time; 100, or 20 to compare where CI is set.',
  },
  {
    flag: '--pace',
    kind: 'integer',
    value: 'MS',
    min: 0,
    max: 600_000,
    about: 'Pause after each call; 0 for the paired gate, 500 otherwise.',
  },
  {
    flag: '--warm-up',
    kind: 'integer',
    value: 'CALLS',
    min: 0,
    max: 100_000,
    default: 10,
    about: 'Calls to each target that are not counted.',
  },
  {
    flag: '--runner',
    kind: 'text',
    value: 'LABEL',
    about: 'The class of this machine, for histories; system, processor and cores unless told otherwise.',
  },
];
