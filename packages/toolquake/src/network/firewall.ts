/** Puts our rules into the firewall, by the means that works here, with the undo that belongs to it. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { UndoStep } from '../core/undo-step.js';
import { tryIptables, tryNft, type ChainFlavour, type Families, type Trial } from './means.js';
import { namespaceData, type NamespaceFacts } from './namespace.js';
import { chainBlock, chainRedirect, nftBlock, nftRedirect, type BlockWay, type ChainCall, type RuleFacts } from './rule-text.js';
import { mustRun } from './trusted-command.js';

/** What the rules are to do. */
export type Purpose = { readonly kind: 'block'; readonly way: BlockWay } | { readonly kind: 'redirect'; readonly isCutting: boolean };

/** Something that takes our rules. */
export type Firewall = { readonly kind: 'nft' } | { readonly kind: 'iptables'; readonly flavour: ChainFlavour };

/** The first that works here: a table of nftables of our own, which leaves nothing behind at all, else a chain of iptables. */
export async function findFirewall(
  purpose: Purpose['kind'],
  only: 'nft' | 'iptables' | undefined,
  signal?: AbortSignal,
  families?: Families,
): Promise<{ readonly firewall: Firewall; readonly how: string } | { readonly firewall: undefined; readonly why: string }> {
  const whys: string[] = [];
  const note = (trial: Trial): void => void (trial.works || whys.push(trial.why));
  if (only !== 'iptables') {
    const trial = await tryNft(purpose, signal, families);
    if (trial.works) return { firewall: { kind: 'nft' }, how: 'a table of nftables of its own' };
    note(trial);
  }
  if (only !== 'nft') {
    const { trial, flavour } = await tryIptables(purpose, signal, families);
    if (flavour !== undefined) return { firewall: { kind: 'iptables', flavour }, how: `a chain of its own, by ${flavour[0]}` };
    note(trial);
  }
  return { firewall: undefined, why: whys.join('; ') };
}

/** Where the rules go, under which name, and from where the dependency is looked at once they are gone. */
export type RulePlace = { readonly name: string; readonly namespace: NamespaceFacts | undefined; readonly look: JsonObject };

/** How the rules are taken back. To be written down before `applyRules`. */
export function rulesUndo(firewall: Firewall, purpose: Purpose, { isIpv6 }: Families, { name, namespace, look }: RulePlace): UndoStep {
  const data = { name, look, namespace: namespaceData(namespace) };
  if (firewall.kind === 'nft') return { kind: 'nft-table', data };
  const commands = [...new Set(isIpv6)].map((six) => firewall.flavour[six ? 1 : 0]);
  const tables = purpose.kind === 'block' ? ['filter'] : ['nat', ...(purpose.isCutting ? ['filter'] : [])];
  return { kind: 'iptables-chain', data: { ...data, commands, tables } };
}

/** Adds the rules. By nft they come all at once; by iptables the chain is filled before anything is led into it. */
export async function applyRules(
  firewall: Firewall,
  purpose: Purpose,
  facts: RuleFacts,
  { name, namespace }: Omit<RulePlace, 'look'>,
  signal: AbortSignal,
): Promise<void> {
  if (firewall.kind === 'nft') {
    const input = purpose.kind === 'block' ? nftBlock(name, facts, purpose.way) : nftRedirect(name, facts, purpose.isCutting);
    await mustRun({ command: 'nft', args: ['-f', '-'], input, namespace, signal });
    return;
  }
  const calls: readonly ChainCall[] =
    purpose.kind === 'block' ? chainBlock(name, facts, purpose.way) : chainRedirect(name, facts, purpose.isCutting);
  for (const { isIpv6, args } of calls) await mustRun({ command: firewall.flavour[isIpv6 ? 1 : 0], args, namespace, signal });
}
