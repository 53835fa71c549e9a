import { defineCommand, EXIT } from '../command.js';

/** Says in words what a plan would do. */
export const planExplain = defineCommand({
  name: 'plan explain',
  summary: 'Says in words what a fault plan would hit, how, and how often.',
  positionals: [{ name: 'FILE', about: 'A plan in YAML or JSON.' }],
  options: [{ flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' }],
  examples: ['toolquake plan explain plan.yaml'],
  async handle({ positionals, options }, io) {
    const { explainPlanFile } = await import('../plan-pages.js');
    await explainPlanFile(positionals['FILE']!, { isJson: options['json'] === true, io });
    return EXIT.pass;
  },
});
