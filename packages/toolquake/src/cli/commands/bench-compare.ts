import { BENCH_OPTIONS } from '../bench-options.js';
import { defineCommand } from '../command.js';
import { TARGET_OPTIONS } from '../targets.js';

/** Is the candidate slower than the baseline? */
export const benchCompare = defineCommand({
  name: 'bench compare',
  summary: 'Tells whether a build is slower than another, measured side by side in turns, or than captured samples.',
  positionals: [
    { name: 'BASELINE', about: 'A URL, a name from toolquake.yaml, or a file that "bench capture" wrote.', isOptional: true },
    { name: 'TARGET', about: 'The candidate: a URL or a name.', isOptional: true },
  ],
  rest: {
    name: 'CMD ARGS...',
    about: 'The candidate as a command that starts a server on stdio. Two of them: -- BASELINE_CMD ARGS... -- CMD ARGS...',
    isRequired: false,
  },
  options: [
    {
      flag: '--gate',
      kind: 'text',
      value: 'GATE',
      about:
        'How to judge: paired (default for two targets), ratio (default for a file: P95 against P95) or history (a file with 8 runs or more).',
    },
    ...TARGET_OPTIONS,
    ...BENCH_OPTIONS,
    {
      flag: '--max-ratio',
      kind: 'number',
      value: 'RATIO',
      min: 1,
      about: 'Ratio gate: fail above this P95 ratio; 1.5 unless told otherwise.',
    },
    { flag: '--thorough', kind: 'switch', about: 'Paired gate: 500 calls per side in stage two, to see more of the slowest calls.' },
    { flag: '--seed', kind: 'integer', value: 'SEED', min: 0, default: 1, about: 'Of the draws behind "sees from".' },
    { flag: '--samples', kind: 'text', value: 'FILE', about: 'Append the raw samples to a file (JSONL).' },
    { flag: '--format', kind: 'text', value: 'FORMAT', default: 'console', about: 'What to print: console, json, markdown or junit.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text: the same as --format json.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
  ],
  examples: [
    `toolquake bench compare http://127.0.0.1:3001/mcp http://127.0.0.1:3002/mcp --call 'search {"q":"shoes"}'`,
    'toolquake bench compare --call list_orders -- node main/server.js -- node dist/server.js',
    'toolquake bench compare baselines/latency.jsonl http://127.0.0.1:3002/mcp --gate ratio',
  ],
  async handle(args, io) {
    const { compareAndTell } = await import('../bench-pages.js');
    return compareAndTell(args, io);
  },
});
