import { defineCommand } from '../command.js';
import { TARGET_ABOUT, TARGET_OPTIONS, TARGET_REST } from '../targets.js';

/** Is it up, from the client's side of the wire? */
export const probe = defineCommand({
  name: 'probe',
  summary: 'Asks servers as a client would: dial, hello, tools, canary calls, health; each failure has a stage and a name.',
  positionals: [{ name: 'TARGET', about: `${TARGET_ABOUT} Without any: all of toolquake.yaml.`, isOptional: true, isRepeated: true }],
  rest: TARGET_REST,
  options: [
    ...TARGET_OPTIONS,
    {
      flag: '--expect-tools',
      kind: 'text',
      value: 'A,B',
      isRepeatable: true,
      about: 'Tools that must be listed, besides those of the file.',
    },
    { flag: '--watch', kind: 'switch', about: 'Probe again and again, until Ctrl-C or --count.' },
    { flag: '--count', kind: 'integer', value: 'ROUNDS', min: 1, max: 1_000_000, about: 'Rounds; 1 unless watching.' },
    { flag: '--interval', kind: 'text', value: 'TIME', about: 'From the start of a round to the next; 60s when watching, else 1s.' },
    { flag: '--concurrency', kind: 'integer', value: 'TARGETS', min: 1, max: 256, about: 'Targets at a time; 8 unless told otherwise.' },
    {
      flag: '--control',
      kind: 'text',
      value: 'URL',
      about: 'Something that is always up: when it cannot be reached either, the fault is on our side.',
    },
    { flag: '--json', kind: 'switch', about: 'Print one line of JSON per report.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
  ],
  examples: [
    'toolquake probe http://127.0.0.1:3001/mcp',
    'toolquake probe shop search --watch --interval 10s',
    'toolquake probe --expect-tools echo -- npx -y @modelcontextprotocol/server-everything stdio',
  ],
  async handle(args, io) {
    const { probe: run } = await import('../probe-page.js');
    return run(args, io);
  },
});
