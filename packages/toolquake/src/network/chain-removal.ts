/** What has to go so that a chain of ours is gone, from the listing of iptables. Pure. */
import type { ChainTable } from './rule-text.js';
import type { TrustedCommand } from './trusted-command.js';

/** Commands of iptables, by family and flavour. */
export const CHAIN_COMMANDS = [
  ['iptables', 'ip6tables'],
  ['iptables-nft', 'ip6tables-nft'],
  ['iptables-legacy', 'ip6tables-legacy'],
] as const satisfies readonly (readonly [TrustedCommand, TrustedCommand])[];

const TABLES: readonly ChainTable[] = ['filter', 'nat'];

/** The calls, in order, each after `-t TABLE`: jumps first, then what is in the chain, then the chain. */
export function chainRemoval(listing: string, chain: string): readonly (readonly string[])[] {
  const lines = listing.split('\n');
  const jumps = lines.flatMap((line) => {
    const [, from] = new RegExp(`^-A (\\S+) -j ${chain}$`).exec(line) ?? [];
    return from === undefined || from.startsWith('-') ? [] : [['-D', from, '-j', chain]];
  });
  const own = lines.includes(`-N ${chain}`)
    ? [
        ['-F', chain],
        ['-X', chain],
      ]
    : [];
  return [...jumps, ...own];
}

/** Lines of the listing that speak of the chain. */
export const chainLeftovers = (listing: string, chain: string): readonly string[] =>
  listing.split('\n').filter((line) => line.split(' ').includes(chain));

/** Commands out of undo data. Throws where they are none of `CHAIN_COMMANDS`. */
export function readChainCommands(value: unknown): readonly TrustedCommand[] {
  const known: readonly TrustedCommand[] = CHAIN_COMMANDS.flat();
  return wordsOf(value, known, 'commands');
}

/** Tables out of undo data. */
export const readChainTables = (value: unknown): readonly ChainTable[] => wordsOf(value, TABLES, 'tables');

function wordsOf<Word extends string>(value: unknown, known: readonly Word[], what: string): readonly Word[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [];
  const words = given.flatMap((item) => known.find((word) => word === item) ?? []);
  if (words.length === 0 || words.length !== given.length) throw new Error(`The ${what} in the undo data are none that we write there.`);
  return words;
}
