import { ToolquakeError } from '@toolquake/sdk/core';
import { defineCommand, textOf } from '../command.js';
import { DIFF_OPTIONS, diffPage, formatOf } from '../diff-page.js';
import { sideOf } from '../manifest-target.js';

/** Two manifests, compared. */
export const diff = defineCommand({
  name: 'diff',
  summary: 'Compares two manifests: what breaks clients, what models read differently, what nobody can tell.',
  positionals: [
    { name: 'OLD', about: 'A lock file, or the URL of a server.' },
    { name: 'NEW', about: 'A lock file, or the URL of a server; left out when a command follows "--".', isOptional: true },
  ],
  rest: { name: 'CMD ARGS...', about: 'The new server, started over stdio.', isRequired: false },
  options: [
    { flag: '--strict', kind: 'switch', about: 'Changes of texts fail, too: models read them as instructions.' },
    { flag: '--waivers', kind: 'text', value: 'FILE', about: 'Findings that somebody accepted, each with a reason and a last day (JSON).' },
    { flag: '--era', kind: 'text', value: 'ERA', default: 'auto', about: 'Era in which servers are asked: auto, legacy or modern.' },
    ...DIFF_OPTIONS,
  ],
  examples: [
    'toolquake diff mcp.lock.json -- node server.js',
    'toolquake diff main.lock.json branch.lock.json --strict',
    'toolquake diff https://mcp.example.com/mcp http://127.0.0.1:3000/mcp',
    'toolquake diff old.lock.json new.lock.json --format sarif --out manifest.sarif',
  ],
  async handle({ options, words, rest }, io) {
    const [old, now] = words as readonly [string, string | undefined];
    if (now !== undefined && rest.length > 0) {
      throw new ToolquakeError('BAD_ARGUMENT', {
        message: 'The new side is named twice: as NEW and after "--".',
        advice: 'Leave one of the two out.',
      });
    }
    const format = formatOf(options);
    const [given, out] = [[sideOf(old, [], options), sideOf(now, rest, options)] as const, textOf(options['out'])];
    const [{ manifestSide, readWaiverFile }, { openResult }, { coloursFor, withProgress }, { PLAIN }, { tellRefusal }] = await Promise.all([
      import('../../operations/manifest-side.js'),
      import('../../operations/result-file.js'),
      import('../terminal.js'),
      import('../../reporters/figures.js'),
      import('../manifest-refusal.js'),
    ]);
    const result = openResult(out, io.stdout);
    const waivers = options['waivers'] === undefined ? [] : readWaiverFile(String(options['waivers']));
    return tellRefusal(io, async () => {
      const [before, after] = await withProgress(io, 'asking for manifests', async (onProgress) => {
        const first = await manifestSide(given[0], { signal: io.signal, env: io.env });
        onProgress(0.5);
        return [first, await manifestSide(given[1], { signal: io.signal, env: io.env })] as const;
      });
      const paint = out === undefined ? coloursFor(io.stdout, io.env) : PLAIN;
      const { text, exitCode } = await diffPage({ before, after, waivers, isStrict: options['strict'] === true, format, paint });
      result.write(text);
      return exitCode;
    });
  },
});
