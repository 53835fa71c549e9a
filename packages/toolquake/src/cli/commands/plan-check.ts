import { defineCommand } from '../command.js';

/** Checks a plan without starting anything. */
export const planCheck = defineCommand({
  name: 'plan check',
  summary: 'Checks a fault plan and says where it is wrong.',
  positionals: [{ name: 'FILE', about: 'A plan in YAML or JSON.' }],
  options: [
    { flag: '--for', kind: 'text', value: 'TRANSPORT', about: 'Also check that every fault works there: stdio, http, fetch or simulator.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
  ],
  examples: ['toolquake plan check plan.yaml', 'toolquake plan check plan.yaml --for stdio'],
  async handle({ positionals, options }, io) {
    const { checkPlanFile } = await import('../plan-pages.js');
    return checkPlanFile(positionals['FILE']!, { transport: options['for'] as string | undefined, isJson: options['json'] === true, io });
  },
});
