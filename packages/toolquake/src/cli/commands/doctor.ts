import { defineCommand } from '../command.js';

/** What can be broken on this machine, and is it put back? */
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Says which actions of experiments work on this machine, by which means, and why not; rehearses an undo.',
  options: [{ flag: '--json', kind: 'switch', about: 'Print the result as JSON.' }],
  examples: ['toolquake doctor', 'toolquake doctor --json'],
  async handle(args, io) {
    const { doctorPage } = await import('../doctor-page.js');
    return doctorPage(args, io);
  },
});
