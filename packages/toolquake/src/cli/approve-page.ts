/** `approve`: a person at a terminal says yes to one plan. */
import { userInfo } from 'node:os';
import { parseDuration, ToolquakeError } from '@toolquake/sdk/core';
import { approve, APPROVAL_LASTS_MS, digestOf } from '../operations/approvals.js';
import { stateDirectory } from '../undo/state-directory.js';
import { typedLine } from './ask-terminal.js';
import { EXIT, textOf, type CommandArguments, type CommandIo } from './command.js';

const ONE_WEEK = 7 * 24 * 3_600_000;

/** Asks for a typed word, and signs; resolves to the exit code. */
export async function approveDigest({ positionals, options }: CommandArguments, io: CommandIo): Promise<number> {
  const digest = digestOf(positionals['DIGEST']!);
  const lastsMs = lastsOf(textOf(options['lasts']));
  // A flag can be given by a script or a model, and so can piped input: a word typed at a terminal is a person's.
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true || (io.env['CI'] ?? '') !== '') {
    throw new ToolquakeError('NOT_ALLOWED', {
      message: 'Plans are approved by a person at a terminal, and this is none.',
      advice: 'Run it yourself, in a terminal, without pipes and outside CI.',
    });
  }
  const who = userInfo().username;
  io.stdout.write(
    `Plan ${digest}\nYour name, ${who}, stands under it. It counts once, for ${hours(lastsMs)}. "toolquake experiment preview" shows what it does.\n`,
  );
  const word = await typedLine('Type "approve" to approve it: ', { input: io.stdin, output: io.stdout, signal: io.signal });
  if (word !== 'approve') {
    io.stderr.write('Nothing was approved.\n');
    return EXIT.badInput;
  }
  const { expiresAt } = approve({ root: '.', stateFolder: stateDirectory(io.env) }, digest, who, new Date(), lastsMs);
  io.stdout.write(`Approved until ${expiresAt}.\n`);
  return EXIT.pass;
}

function lastsOf(given: string | undefined): number {
  if (given === undefined) return APPROVAL_LASTS_MS;
  const ms = parseDuration(given);
  if (ms !== undefined && ms >= 60_000 && ms <= ONE_WEEK) return ms;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `--lasts must be a time from 1m to 168h, not "${given}".`,
    advice: 'For example: --lasts 2h',
  });
}

const hours = (ms: number): string => `${Number((ms / 3_600_000).toPrecision(3))} hours`;
