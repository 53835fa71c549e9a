/** What the commands that talk to a running proxy have in common. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { AdminCall } from '../operations/call-admin.js';
import { EXIT, textOf, type CommandArguments, type CommandIo, type CommandOption } from './command.js';

/** Their options. */
export const ADMIN_OPTIONS: readonly CommandOption[] = [
  { flag: '--url', kind: 'text', value: 'URL', about: 'The admin address that the proxy printed.', isRequired: true },
  { flag: '--json', kind: 'switch', about: 'Print the answer of the proxy as JSON.' },
];

/** Asks, and prints the answer: as JSON when asked to, else in the words of `tell`. */
export async function askProxy(
  { options }: CommandArguments,
  io: CommandIo,
  call: Pick<AdminCall, 'route' | 'body'>,
  tell: (answer: JsonObject) => string,
): Promise<number> {
  const { callAdmin } = await import('../operations/call-admin.js');
  const answer = await callAdmin({ ...call, url: textOf(options['url']) ?? '', env: io.env, signal: io.signal });
  io.stdout.write(`${options['json'] === true ? JSON.stringify(answer) : tell(answer)}\n`);
  return EXIT.pass;
}
