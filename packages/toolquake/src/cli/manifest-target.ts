/** Which server a manifest command means: a URL, or a command after "--". */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { TargetDefinition } from '../targets/target.js';
import { wordOf, type CommandArguments } from './command.js';

const isUrl = (word: string): boolean => /^https?:\/\//i.test(word);

/** The server that a word or the rest names; a word that is no URL is a lock file. */
export function sideOf(word: string | undefined, rest: readonly string[], options: CommandArguments['options']): string | TargetDefinition {
  const era = wordOf('--era', String(options['era'] ?? 'auto'), ['auto', 'legacy', 'modern']);
  if (word !== undefined) return isUrl(word) ? { kind: 'url', name: withoutSecrets(word), url: word, era } : word;
  if (rest.length > 0) return { kind: 'command', name: rest.slice(0, 3).join(' '), command: rest, era };
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: 'No server is named.',
    advice: 'Give a URL, or the command of a server after "--": toolquake lock -- node server.js',
  });
}

/** A URL as it may be printed: user, password and query are nobody's business. */
function withoutSecrets(word: string): string {
  if (!URL.canParse(word))
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'The address of the server is no URL.',
      advice: 'For example: http://127.0.0.1:3000/mcp',
    });
  const { origin, pathname } = new URL(word);
  return `${origin}${pathname}`;
}

/** A server, and no lock file. */
export function targetOf(word: string | undefined, rest: readonly string[], options: CommandArguments['options']): TargetDefinition {
  const side = sideOf(word, rest, options);
  if (typeof side !== 'string') return side;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${JSON.stringify(side)} is no server.`,
    advice: 'Give a URL like http://127.0.0.1:3000/mcp, or the command of a server after "--".',
  });
}
