import { defineCommand } from '../command.js';

/** A person's yes to one plan. */
export const approve = defineCommand({
  name: 'approve',
  summary: 'Approves one plan of an experiment, for one run: asks for a word, at a terminal alone.',
  positionals: [{ name: 'DIGEST', about: 'The digest that "experiment preview" shows.' }],
  options: [{ flag: '--lasts', kind: 'text', value: 'TIME', about: 'How long it counts, from 1m to 168h; 24h unless told otherwise.' }],
  examples: ['toolquake approve 5f1c0e2d7a...', 'toolquake approve 5f1c0e2d7a... --lasts 2h'],
  async handle(args, io) {
    const { approveDigest } = await import('../approve-page.js');
    return approveDigest(args, io);
  },
});
