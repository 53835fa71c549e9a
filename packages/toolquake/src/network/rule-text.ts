/** The rules that block a dependency, or lead connections to it through a relay: text for nft, words for iptables. Pure. */
import { isIPv6 } from 'node:net';

/** How a connection is refused. `drop`: not at all, it stalls. */
export const BLOCK_WAYS = ['reset', 'unreachable', 'drop'] as const;

/** One of `BLOCK_WAYS`. */
export type BlockWay = (typeof BLOCK_WAYS)[number];

/** One address of the dependency, and the relay that connections to it are led to. */
export type Aim = { readonly address: string; readonly relayPort?: number | undefined };

/** What the rules are made from. Addresses are IP literals; everything else is a number, or one of a few words. */
export type RuleFacts = {
  readonly aims: readonly Aim[];
  readonly port: number;
  /** Only what processes of this user send. */
  readonly uid: number | undefined;
  /** What leaves from these local ports is never touched: the relay's own connections. */
  readonly spare: { readonly from: number; readonly to: number } | undefined;
};

/** Blocking, as a script for `nft -f -`: one transaction, which fails as a whole. */
export const nftBlock = (table: string, facts: RuleFacts, way: BlockWay): string =>
  script(table, { filter: facts.aims.map((aim) => `${nftMatch(facts, aim)} counter ${NFT_VERDICTS[way]}`) });

/** Leading through relays. `isCutting`: connections that are open already are reset when they are next used. */
export const nftRedirect = (table: string, facts: RuleFacts, isCutting: boolean): string =>
  script(table, {
    // Only how connections begin: the middle of an open one would otherwise be led to a relay that never heard of it.
    nat: facts.aims.map((aim) => `${nftMatch(facts, aim)} tcp flags & (syn | ack) == syn counter redirect to :${aim.relayPort}`),
    filter: isCutting ? facts.aims.map((aim) => `${nftMatch(facts, aim)} counter ${NFT_VERDICTS.reset}`) : [],
  });

const NFT_VERDICTS = {
  reset: 'reject with tcp reset',
  unreachable: 'reject with icmpx type port-unreachable',
  drop: 'drop',
} as const satisfies Record<BlockWay, string>;

function nftMatch({ port, uid, spare }: RuleFacts, { address }: Aim): string {
  const words = [`${isIPv6(address) ? 'ip6' : 'ip'} daddr ${address} tcp dport ${port}`];
  if (spare !== undefined) words.push(`tcp sport != ${spare.from}-${spare.to}`);
  if (uid !== undefined) words.push(`meta skuid ${uid}`);
  return words.join(' ');
}

function script(table: string, { nat = [], filter }: { readonly nat?: readonly string[]; readonly filter: readonly string[] }): string {
  const lines = [`create table inet ${table}`];
  const chain = (name: string, type: string, priority: number, rules: readonly string[]): void => {
    if (rules.length === 0) return;
    lines.push(`add chain inet ${table} ${name} { type ${type} hook output priority ${priority}; policy accept; }`);
    for (const rule of rules) lines.push(`add rule inet ${table} ${name} ${rule}`);
  };
  // A little before the usual places, so that what others accept does not go past us.
  chain('lead', 'nat', -105, nat);
  chain('block', 'filter', -5, filter);
  return `${lines.join('\n')}\n`;
}

/** A table of iptables that we put a chain into. */
export type ChainTable = 'filter' | 'nat';

/** Calls of iptables that build a chain; `isIpv6` says which family's command. In order; the jump into the chain comes last. */
export type ChainCall = { readonly isIpv6: boolean; readonly args: readonly string[] };

/** Blocking. */
export const chainBlock = (chain: string, facts: RuleFacts, way: BlockWay): readonly ChainCall[] =>
  families(facts).flatMap((isIpv6) =>
    chainOf(
      'filter',
      chain,
      isIpv6,
      aimsOf(facts, isIpv6).map((aim) => [...chainMatch(facts, aim), ...chainVerdict(way, isIpv6)]),
    ),
  );

/** Leading through relays. */
export const chainRedirect = (chain: string, facts: RuleFacts, isCutting: boolean): readonly ChainCall[] =>
  families(facts).flatMap((isIpv6) => {
    const aims = aimsOf(facts, isIpv6);
    const nat = aims.map((aim) => [...chainMatch(facts, aim), '--syn', '-j', 'REDIRECT', '--to-ports', String(aim.relayPort)]);
    const filter = aims.map((aim) => [...chainMatch(facts, aim), ...chainVerdict('reset', isIpv6)]);
    return [...chainOf('nat', chain, isIpv6, nat), ...(isCutting ? chainOf('filter', chain, isIpv6, filter) : [])];
  });

const families = ({ aims }: RuleFacts): readonly boolean[] => [...new Set(aims.map(({ address }) => isIPv6(address)))];

const aimsOf = ({ aims }: RuleFacts, isIpv6: boolean): readonly Aim[] => aims.filter(({ address }) => isIPv6(address) === isIpv6);

const chainOf = (table: ChainTable, chain: string, isIpv6: boolean, rules: readonly (readonly string[])[]): readonly ChainCall[] =>
  [['-N', chain], ...rules.map((rule) => ['-A', chain, ...rule]), ['-I', 'OUTPUT', '1', '-j', chain]].map((words) => ({
    isIpv6,
    args: ['-w', '3', '-t', table, ...words],
  }));

function chainMatch({ port, uid, spare }: RuleFacts, { address }: Aim): readonly string[] {
  return [
    '-d',
    address,
    '-p',
    'tcp',
    '--dport',
    String(port),
    ...(spare === undefined ? [] : ['!', '--sport', `${spare.from}:${spare.to}`]),
    ...(uid === undefined ? [] : ['-m', 'owner', '--uid-owner', String(uid)]),
  ];
}

function chainVerdict(way: BlockWay, isIpv6: boolean): readonly string[] {
  if (way === 'drop') return ['-j', 'DROP'];
  const unreachable = isIpv6 ? 'icmp6-port-unreachable' : 'icmp-port-unreachable';
  return ['-j', 'REJECT', '--reject-with', way === 'reset' ? 'tcp-reset' : unreachable];
}
