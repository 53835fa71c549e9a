import { defineCommand } from '../command.js';
import { TARGET_ABOUT, TARGET_OPTIONS, TARGET_REST } from '../targets.js';

/** Changed answers, approved. */
export const goldenUpdate = defineCommand({
  name: 'golden update',
  summary: 'Records what no longer holds again, shows the difference, and writes it when you agree.',
  positionals: [
    { name: 'FILE', about: 'The fixtures.' },
    { name: 'TARGET', about: TARGET_ABOUT, isOptional: true },
  ],
  rest: TARGET_REST,
  options: [
    { flag: '--only', kind: 'text', value: 'NAME', isRepeatable: true, about: 'Only the fixture of this name.' },
    {
      flag: '--yes',
      kind: 'switch',
      about: 'Write without a question. Without it, a terminal is asked, and everywhere else nothing is written.',
    },
    { flag: '--runs', kind: 'integer', value: 'CALLS', min: 2, max: 100, default: 3, about: 'How often each call is made.' },
    { flag: '--json', kind: 'switch', about: 'Print the changes as JSON; writes only with --yes.' },
    ...TARGET_OPTIONS,
  ],
  examples: ['toolquake golden update golden/shop.yaml shop', 'toolquake golden update golden.yaml --yes -- node server.js'],
  async handle(args, io) {
    const { updateAndTell } = await import('../golden-pages.js');
    return updateAndTell(args, io);
  },
});
