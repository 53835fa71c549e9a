import { defineCommand, EXIT, textOf } from '../command.js';
import { diffPage } from '../diff-page.js';
import { targetOf } from '../manifest-target.js';

/** A server's manifest, written down. */
export const lock = defineCommand({
  name: 'lock',
  summary: 'Writes down what a server shows: tools, prompts, resources, eras, capabilities.',
  positionals: [{ name: 'TARGET', about: 'The URL of a server; left out when a command follows "--".', isOptional: true }],
  rest: { name: 'CMD ARGS...', about: 'The server, started over stdio.', isRequired: false },
  options: [
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the lock to a file instead of stdout.' },
    { flag: '--check', kind: 'text', value: 'LOCK', about: 'Write nothing: fail when the server differs from this lock, and say how.' },
    {
      flag: '--era',
      kind: 'text',
      value: 'ERA',
      default: 'auto',
      about: 'Era in which the server is asked: auto (both), legacy or modern.',
    },
    { flag: '--json', kind: 'switch', about: 'With --check, print what differs as JSON. A lock is JSON in any case.' },
  ],
  examples: [
    'toolquake lock --out mcp.lock.json -- node server.js',
    'toolquake lock http://127.0.0.1:3000/mcp --out mcp.lock.json',
    'toolquake lock --check mcp.lock.json -- node server.js',
  ],
  async handle({ options, words, rest }, io) {
    const target = targetOf(words[0], rest, options);
    const [out, check] = [textOf(options['out']), textOf(options['check'])];
    const [{ manifestSide, readLockFile }, { openResult }, { coloursFor, withProgress }, { PLAIN }, { tellRefusal }] = await Promise.all([
      import('../../operations/manifest-side.js'),
      import('../../operations/result-file.js'),
      import('../terminal.js'),
      import('../../reporters/figures.js'),
      import('../manifest-refusal.js'),
    ]);
    const result = openResult(out, io.stdout);
    const before = check === undefined ? undefined : readLockFile(check);
    return tellRefusal(io, async () => {
      const after = await withProgress(io, 'asking for the manifest', () => manifestSide(target, { signal: io.signal, env: io.env }));
      if (before === undefined) {
        result.write(after.text);
        const { tools, prompts, resources, resourceTemplates } = after.manifest;
        if (out !== undefined)
          io.stderr.write(
            `${out}: ${tools.size} tools, ${prompts.size} prompts, ${resources.size} resources, ${resourceTemplates.size} templates.\n`,
          );
        return EXIT.pass;
      }
      const paint = out === undefined ? coloursFor(io.stdout, io.env) : PLAIN;
      const { text } = await diffPage({
        before,
        after,
        waivers: [],
        isStrict: true,
        format: options['json'] === true ? 'json' : 'console',
        paint,
      });
      result.write(text);
      // Any difference fails: the lock is the whole truth about the server, or it is out of date.
      if (after.text === before.text) return EXIT.pass;
      io.stderr.write(
        `${before.name} is not what the server shows now. If the change is meant, write it again: toolquake lock ... --out ${before.name}\n`,
      );
      return EXIT.failed;
    });
  },
});
