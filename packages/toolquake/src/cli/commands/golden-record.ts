import { defineCommand } from '../command.js';
import { TARGET_ABOUT, TARGET_OPTIONS, TARGET_REST } from '../targets.js';

/** Known requests with known answers, written down. */
export const goldenRecord = defineCommand({
  name: 'golden record',
  summary: 'Writes down what calls answer; each is made three times, so that what changes by itself is not compared later.',
  positionals: [{ name: 'TARGET', about: TARGET_ABOUT, isOptional: true }],
  rest: TARGET_REST,
  options: [
    { flag: '--call', kind: 'text', value: 'TOOL JSON', isRepeatable: true, about: `A tool with its arguments: 'search {"q":"shoes"}'.` },
    { flag: '--prompt', kind: 'text', value: 'PROMPT JSON', isRepeatable: true, about: 'A prompt with its arguments.' },
    { flag: '--resource', kind: 'text', value: 'URI', isRepeatable: true, about: 'A resource.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the fixtures to a file instead of stdout.' },
    { flag: '--append', kind: 'switch', about: 'Add to the file; comments in it stay.' },
    {
      flag: '--name',
      kind: 'text',
      value: 'NAME',
      about: 'What the fixture is called, where one is recorded; what it asks, unless told otherwise.',
    },
    { flag: '--owner', kind: 'text', value: 'WHO', about: 'Who knows whether an answer is right.' },
    { flag: '--runs', kind: 'integer', value: 'CALLS', min: 2, max: 100, default: 3, about: 'How often each call is made.' },
    { flag: '--allow-writes', kind: 'switch', about: 'Also call tools that do not say that they only read.' },
    { flag: '--expect-error', kind: 'switch', about: 'Record calls that fail, and refuse those that do not.' },
    ...TARGET_OPTIONS,
  ],
  examples: [
    `toolquake golden record shop --call 'search {"q":"shoes"}' --out golden/shop.yaml`,
    `toolquake golden record --call 'echo {"message":"hi"}' --out golden.yaml -- node server.js`,
    `toolquake golden record shop --call 'search {"q":1}' --expect-error --name bad-query --append --out golden/shop.yaml`,
  ],
  async handle(args, io) {
    const { recordAndTell } = await import('../golden-pages.js');
    return recordAndTell(args, io);
  },
});
