import { defineCommand, EXIT } from '../command.js';

/** What runs left behind. */
export const leftovers = defineCommand({
  name: 'leftovers',
  summary: 'Lists what experiments changed on this host and nobody has undone. Exit code 0: nothing, 6: something.',
  options: [{ flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' }],
  examples: ['toolquake leftovers', 'toolquake leftovers --json'],
  async handle({ options }, io) {
    const [{ findLeftovers, isNothingLeft }, { leftoverText }] = await Promise.all([
      import('../../undo/leftovers.js'),
      import('../leftover-page.js'),
    ]);
    // Runs that live look after themselves; they are listed, and are no leftovers.
    const found = findLeftovers(io.env).filter((one) => one.state === 'running' || !isNothingLeft(one));
    const left = found.filter(({ state }) => state !== 'running');
    if (options['json'] === true) io.stdout.write(`${JSON.stringify({ isClean: left.length === 0, runs: found }, null, 2)}\n`);
    else if (found.length === 0) io.stdout.write('Nothing is left behind.\n');
    else for (const one of found) io.stdout.write(leftoverText(one, io.stdout.columns ?? 100));
    if (left.some(({ state }) => state !== 'undoing')) io.stderr.write('Run "toolquake undo" to undo it.\n');
    return left.length === 0 ? EXIT.pass : EXIT.undoFailed;
  },
});
