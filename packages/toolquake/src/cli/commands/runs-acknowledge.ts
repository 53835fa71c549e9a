import { defineCommand } from '../command.js';

/** A person answers for going on. */
export const runsAcknowledge = defineCommand({
  name: 'runs acknowledge',
  summary: 'Acknowledges the P1 findings of a run, so that they block further runs no more.',
  positionals: [{ name: 'ID', about: 'The run, or the beginning of its id; "last" is the newest.' }],
  options: [
    { flag: '--why', kind: 'text', value: 'TEXT', isRequired: true, about: 'What was done about them. Kept with the run, with your name.' },
  ],
  examples: ['toolquake runs acknowledge last --why "The alert rule now watches /health, see OPS-481."'],
  async handle(args, io) {
    const { acknowledgeAndTell } = await import('../run-pages.js');
    return acknowledgeAndTell(args, io);
  },
});
