/**
 * By which means the network can be changed here. Nothing is assumed: each means is really tried, in a network namespace
 * that is made for the trial and is gone with the command.
 */
import { CHAIN_COMMANDS } from './chain-removal.js';
import { chainBlock, chainRedirect, nftBlock, nftRedirect, type RuleFacts } from './rule-text.js';
import { commandPath, lastLine, runTrusted, type TrustedCommand } from './trusted-command.js';

/** What came of a trial. `how` is the command that worked. */
export type Trial = { readonly works: true; readonly how: string } | { readonly works: false; readonly why: string };

/** A flavour of iptables: the commands of both families. */
export type ChainFlavour = (typeof CHAIN_COMMANDS)[number];

/** Families of addresses that rules are needed for: a machine may have one, and not the other. */
export type Families = { readonly isIpv6: readonly boolean[] };

const IPV4: Families = { isIpv6: [false] };

const exampleOf = ({ isIpv6 }: Families): RuleFacts => ({
  aims: [...new Set(isIpv6)].map((six) => ({ address: six ? '::1' : '127.0.0.1', relayPort: 9 })),
  port: 9,
  uid: 65_534,
  spare: { from: 61_000, to: 61_999 },
});
const NAME = 'TQ-00000000-0000';

/** Can a table of nftables hold our rules? */
export function tryNft(what: 'block' | 'redirect', signal?: AbortSignal, families = IPV4): Promise<Trial> {
  const example = exampleOf(families);
  const input = what === 'block' ? nftBlock(NAME, example, 'reset') : nftRedirect(NAME, example, true);
  return tried({ command: 'nft', args: ['-f', '-'], input }, signal);
}

/** The first flavour of iptables that takes our rules, of all families: what one of them lacks could be neither done nor undone. */
export async function tryIptables(
  what: 'block' | 'redirect',
  signal?: AbortSignal,
  families = IPV4,
): Promise<{ readonly trial: Trial; readonly flavour?: ChainFlavour }> {
  let last: Trial = { works: false, why: 'there is no iptables' };
  for (const flavour of CHAIN_COMMANDS) {
    if (commandPath(flavour[0]) === undefined) continue;
    last = await triedChain(flavour, what, families, signal);
    if (last.works) return { trial: last, flavour };
  }
  return { trial: last };
}

/** Each call on its own, because a fresh namespace ends with its command: rules into OUTPUT instead of a chain that is not there. */
async function triedChain(flavour: ChainFlavour, what: 'block' | 'redirect', families: Families, signal?: AbortSignal): Promise<Trial> {
  const example = exampleOf(families);
  const calls = what === 'block' ? chainBlock(NAME, example, 'reset') : chainRedirect(NAME, example, true);
  let trial: Trial = { works: false, why: 'nothing was tried' };
  for (const { isIpv6, args } of calls) {
    if (!args.includes('-A')) continue;
    trial = await tried({ command: flavour[isIpv6 ? 1 : 0], args: args.map((word) => (word === NAME ? 'OUTPUT' : word)) }, signal);
    if (!trial.works) return trial;
  }
  return trial;
}

/** Has this kernel all that slowing by netem takes? */
export async function tryNetemBelowQueue(signal?: AbortSignal): Promise<Trial> {
  const netem = await tryNetem(signal);
  return netem.works ? tryHtb(signal).then((queue) => (queue.works ? netem : queue)) : netem;
}

/** Has this kernel netem? */
export const tryNetem = (signal?: AbortSignal): Promise<Trial> =>
  tried({ command: 'tc', args: ['qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms'] }, signal);

/** Has it the queue that netem hangs below, so that only the traffic to one address is slow? */
const tryHtb = (signal?: AbortSignal): Promise<Trial> =>
  tried({ command: 'tc', args: ['qdisc', 'add', 'dev', 'lo', 'root', 'handle', '7a00:', 'htb'] }, signal);

/** Can network namespaces be made at all? */
export const tryNamespaces = (signal?: AbortSignal): Promise<Trial> =>
  tried({ command: 'ip', args: ['link', 'show', 'dev', 'lo'] }, signal);

async function tried(
  run: { readonly command: TrustedCommand; readonly args: readonly string[]; readonly input?: string },
  signal?: AbortSignal,
): Promise<Trial> {
  if (process.platform !== 'linux') return { works: false, why: 'this is not Linux' };
  if (commandPath(run.command) === undefined) return { works: false, why: `there is no ${run.command} on this machine` };
  if (commandPath('unshare') === undefined)
    return { works: false, why: 'there is no unshare on this machine, so nothing can be tried safely' };
  try {
    const { code, stderr } = await runTrusted({ ...run, isInFresh: true, signal });
    if (code === 0) return { works: true, how: run.command };
    const words = lastLine(stderr);
    return { works: false, why: process.getuid?.() === 0 ? `${run.command}: ${words}` : `it needs root (${words})` };
  } catch (error) {
    signal?.throwIfAborted();
    return { works: false, why: error instanceof Error ? error.message : String(error) };
  }
}
