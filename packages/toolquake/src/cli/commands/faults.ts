import { defineCommand, EXIT } from '../command.js';

/** Lists the faults, or explains one. */
export const faults = defineCommand({
  name: 'faults',
  summary: 'Lists the faults, or explains one of them.',
  positionals: [{ name: 'NAME', about: 'A fault to explain.', isOptional: true }],
  options: [{ flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' }],
  examples: ['toolquake faults', 'toolquake faults lost-ack'],
  async handle({ positionals, options }, io) {
    const { describeFaults } = await import('../fault-pages.js');
    io.stdout.write(describeFaults(positionals['NAME'], { isJson: options['json'] === true, io }));
    return EXIT.pass;
  },
});
