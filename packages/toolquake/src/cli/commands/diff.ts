import { defineCommand, textOf } from '../command.js';
import { DIFF_OPTIONS, diffPage, formatOf } from '../diff-page.js';
import { sidesOf } from '../diff-sides.js';
import { TARGET_OPTIONS, TARGET_REST } from '../targets.js';

/** Two manifests, compared. */
export const diff = defineCommand({
  name: 'diff',
  summary: 'Compares two manifests: what breaks clients, what models read differently, what nobody can tell.',
  positionals: [
    { name: 'OLD', about: 'A lock file, a URL, or a name from toolquake.yaml.' },
    {
      name: 'NEW',
      about: 'The same; left out when a command follows "--", or when OLD is a target that has a lock file.',
      isOptional: true,
    },
  ],
  rest: { ...TARGET_REST, about: 'The new server, started over stdio.' },
  options: [
    { flag: '--strict', kind: 'switch', about: 'Changes of texts fail, too: models read them as instructions.' },
    { flag: '--waivers', kind: 'text', value: 'FILE', about: 'Findings that somebody accepted, each with a reason and a last day (JSON).' },
    ...TARGET_OPTIONS,
    ...DIFF_OPTIONS,
  ],
  examples: [
    'toolquake diff mcp.lock.json -- node server.js',
    'toolquake diff shop',
    'toolquake diff main.lock.json branch.lock.json --strict',
    'toolquake diff https://mcp.example.com/mcp http://127.0.0.1:3000/mcp',
    'toolquake diff old.lock.json new.lock.json --format sarif --out manifest.sarif',
  ],
  async handle(args, io) {
    const { options } = args;
    const format = formatOf(options);
    const [given, out] = [await sidesOf(args), textOf(options['out'])];
    const [{ manifestSide, readWaiverFile }, { openResult }, { coloursFor, withProgress }, { PLAIN }] = await Promise.all([
      import('../../operations/manifest-side.js'),
      import('../../operations/result-file.js'),
      import('../terminal.js'),
      import('../../reporters/figures.js'),
    ]);
    const result = openResult(out, io.stdout);
    const waivers = options['waivers'] === undefined ? [] : readWaiverFile(String(options['waivers']));
    const [before, after] = await withProgress(io, 'asking for manifests', async (onProgress) => {
      const first = await manifestSide(given[0], { signal: io.signal, env: io.env, isBaseline: true });
      onProgress(0.5);
      return [first, await manifestSide(given[1], { signal: io.signal, env: io.env })] as const;
    });
    const paint = out === undefined ? coloursFor(io.stdout, io.env) : PLAIN;
    const { text, exitCode } = await diffPage({ before, after, waivers, isStrict: options['strict'] === true, format, paint });
    result.write(text);
    return exitCode;
  },
});
