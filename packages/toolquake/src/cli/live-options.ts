/** Options that every proxy has. */
import type { CommandOption } from './command.js';

export const RUN_DIRECTORY: CommandOption = {
  flag: '--run-dir',
  kind: 'text',
  value: 'DIR',
  about: 'Write a journal of its own into this folder, for one report over all of them.',
};

export const ADMIN_PORT: CommandOption = {
  flag: '--admin-port',
  kind: 'integer',
  value: 'PORT',
  about: 'Open the admin routes on this loopback port (0: any free one); the token is in TOOLQUAKE_ADMIN_TOKEN.',
  min: 0,
  max: 65535,
};
