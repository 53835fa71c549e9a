import { defineCommand } from '../command.js';
import { TARGETS_FILE } from '../experiment-words.js';

/** Runs an experiment. */
export const run = defineCommand({
  name: 'run',
  summary: 'Runs one stage of an experiment: steady before, fault, undo in any case, steady after, verdict.',
  positionals: [{ name: 'FILE', about: 'The experiment file ("toolquake experiment check" says what is wrong with one).' }],
  options: [
    { flag: '--stage', kind: 'integer', value: 'N', min: 1, max: 100, about: 'Stage of the ladder; the next one unless told otherwise.' },
    { flag: '--dry-run', kind: 'switch', about: 'Everything but the fault: preconditions, steady state, what would be hit and undone.' },
    { flag: '--yes', kind: 'switch', about: 'Agrees to stage 1 of a target on this machine; all else needs "toolquake approve".' },
    TARGETS_FILE,
    {
      flag: '--format',
      kind: 'text',
      value: 'FORMAT',
      default: 'console',
      about: 'What to print: console, json, markdown, junit or html. The timeline then goes to stderr.',
    },
    { flag: '--json', kind: 'switch', about: 'Print JSON: the same as --format json.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file; the timeline stays on the terminal.' },
    { flag: '--quiet', kind: 'switch', about: 'No timeline, only the result.' },
  ],
  examples: [
    'toolquake run block-database.yaml --yes',
    'toolquake run lost-ack.yaml --stage 2 --format junit --out result.xml',
    'toolquake run kill-process.yaml --dry-run',
  ],
  async handle(args, io) {
    const { runPage } = await import('../run-page.js');
    return runPage(args, io);
  },
});
