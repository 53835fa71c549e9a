import { defineCommand } from '../command.js';
import { TARGET_ABOUT, TARGET_OPTIONS, TARGET_REST } from '../targets.js';

/** Known requests, asked again. */
export const goldenVerify = defineCommand({
  name: 'golden verify',
  summary: 'Makes the calls of a fixture file and fails when an answer is not as expected.',
  positionals: [
    { name: 'FILE', about: 'The fixtures (YAML or JSON).' },
    { name: 'TARGET', about: TARGET_ABOUT, isOptional: true },
  ],
  rest: TARGET_REST,
  options: [
    { flag: '--only', kind: 'text', value: 'NAME', isRepeatable: true, about: 'Only the fixture of this name.' },
    { flag: '--format', kind: 'text', value: 'FORMAT', default: 'console', about: 'What to print: console, json or junit.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON: the same as --format json.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
    ...TARGET_OPTIONS,
  ],
  examples: [
    'toolquake golden verify golden/shop.yaml shop',
    'toolquake golden verify golden.yaml --format junit --out golden.xml -- node server.js',
  ],
  async handle(args, io) {
    const { verifyAndTell } = await import('../golden-pages.js');
    return verifyAndTell(args, io);
  },
});
