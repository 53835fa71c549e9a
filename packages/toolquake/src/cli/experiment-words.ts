/** What the commands on an experiment file are given. */
import type { CommandOption, CommandPositional } from './command.js';

/** The file. */
export const EXPERIMENT_FILE: CommandPositional = { name: 'FILE', about: 'An experiment in YAML or JSON.' };

/** Where its target is described. */
export const TARGETS_FILE: CommandOption = {
  flag: '--config',
  kind: 'text',
  value: 'FILE',
  about: 'The file that describes targets; toolquake.yaml beside the experiment or here.',
};
