import { BENCH_OPTIONS } from '../bench-options.js';
import { defineCommand } from '../command.js';
import { TARGET_ABOUT, TARGET_OPTIONS, TARGET_REST } from '../targets.js';

/** A baseline for later, or one more run of a history. */
export const benchCapture = defineCommand({
  name: 'bench capture',
  summary: 'Measures the latency of tool calls and appends the raw samples to a file: a baseline, and with time a history.',
  positionals: [{ name: 'TARGET', about: TARGET_ABOUT, isOptional: true }],
  rest: TARGET_REST,
  options: [
    { flag: '--out', kind: 'text', value: 'FILE', about: 'The samples (JSONL); a run is appended to what is there.', isRequired: true },
    ...TARGET_OPTIONS,
    ...BENCH_OPTIONS,
    { flag: '--calibrate', kind: 'switch', about: 'Also measure how fast this machine is, so that runs of different machines compare.' },
    {
      flag: '--change-point',
      kind: 'text',
      value: 'WHY',
      about: 'Start a new level: the history gate forgets earlier runs, because something changed on purpose.',
    },
  ],
  examples: [
    `toolquake bench capture http://127.0.0.1:3001/mcp --call 'search {"q":"shoes"}' --out baselines/latency.jsonl`,
    'toolquake bench capture --call list_orders --calibrate --out history.jsonl -- node dist/server.js',
  ],
  async handle(args, io) {
    const { captureAndTell } = await import('../bench-pages.js');
    return captureAndTell(args, io);
  },
});
