/** From checked parameters to what exactly would be hit: addresses, a namespace, a user. Looks, changes nothing, and refuses what could hit the run itself. */
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { ToolquakeError } from '@toolquake/sdk/core';
import type { ActionWorld } from './action.js';
import type { DependencyParams } from './dependency-params.js';
import type { Families } from '../network/means.js';
import { findNamespace, isSameNamespace, ownNamespace, type NamespaceFacts } from '../network/namespace.js';
import { connectedText, connectWithin } from '../network/connect-within.js';
import { runTrusted } from '../network/trusted-command.js';

/** What would be hit. */
export type DependencyScope = {
  /** IP literals: what the name stood for when it was looked up. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Undefined: the one that the run is in. */
  readonly namespace: NamespaceFacts | undefined;
  readonly uid: number | undefined;
  /** `user shop in the network namespace blue`. */
  readonly whom: string;
};

/** What firewalls have to know of the addresses. */
export const familiesOf = ({ addresses }: Pick<DependencyScope, 'addresses'>): Families => ({
  isIpv6: addresses.map((address) => isIPv6(address)),
});

/** What looking needs of the world. */
export type ScopeWorld = Pick<ActionWorld, 'upstream' | 'front'>;

/** More addresses behind one name are a service that we cannot claim to have cut off. */
const MAX_ADDRESSES = 8;

/** Throws where the scope does not exist, or would reach the run, its monitor or its warden. */
export async function dependencyScope(params: DependencyParams, world: ScopeWorld): Promise<DependencyScope> {
  const { host, port, user } = params;
  const addresses = await addressesOf(host);
  const found = params.namespace === undefined ? undefined : findNamespace(params.namespace);
  // The namespace of the run, by another name, is no scope: everything of ours is in it.
  const isOurs = found !== undefined && isSameNamespace(found, ownNamespace());
  const uid = user === undefined ? undefined : await uidOf(user);
  if (isOurs && uid === undefined)
    throw new ToolquakeError('NOT_ALLOWED', {
      message: `"${params.namespace}" is in the network namespace that this run is in itself, and so are its monitor and its warden.`,
      advice: 'Give the server a namespace or a user of its own.',
    });
  const namespace = isOurs ? undefined : found;
  if (namespace === undefined && uid !== undefined && uid === process.getuid?.())
    throw new ToolquakeError('NOT_ALLOWED', {
      message: `User ${user} runs this experiment too: its monitor and its warden would be hit.`,
      advice: 'Run the server as another user than the experiment.',
    });
  if (params.isHostWide) await refuseOwnWays(addresses, port, world);
  const whom = [
    ...(uid === undefined ? [] : [`user ${user} (${uid})`]),
    ...(namespace === undefined ? [] : [`the network namespace ${params.namespace}`]),
  ].join(' in ');
  return { addresses, port, namespace, uid, whom: whom === '' ? 'every process of this host' : whom };
}

/** IP literals that a host stands for. Throws where there are none, or too many. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const found = await lookup(host, { all: true, order: 'verbatim' }).catch((cause: unknown) => {
    throw new ToolquakeError('UPSTREAM_UNREACHABLE', {
      message: `The name ${host} stands for no address.`,
      advice: 'Give an address.',
      cause,
    });
  });
  const addresses = [...new Set(found.map(({ address }) => address))];
  if (addresses.length <= MAX_ADDRESSES) return addresses;
  throw new ToolquakeError('IMPOSSIBLE', {
    message: `The name ${host} stands for ${addresses.length} addresses, and more may come: it cannot be said to be cut off.`,
    advice: 'Give one of its addresses, or put "toolquake proxy tcp" before it and use via: relay.',
  });
}

/** Numbers need no account. `id` knows those of every source that this machine has. */
async function uidOf(user: string): Promise<number> {
  if (/^\d{1,9}$/.test(user)) return Number(user);
  const { code, stdout } = await runTrusted({ command: 'id', args: ['-u', '--', user] });
  if (code === 0 && /^\d+\n$/.test(stdout)) return Number(stdout);
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `There is no user "${user}" on this host.`,
    advice: 'Give its number if it has no name here.',
  });
}

/** Throws where this is a way that probes, load and control of the run take. */
export async function refuseOwnWays(addresses: readonly string[], port: number, { upstream, front }: ScopeWorld): Promise<void> {
  const { target } = upstream;
  const urls = [...(target.kind === 'url' ? [target.url] : []), ...(front === undefined ? [] : [front.url, front.adminUrl])];
  for (const text of urls) {
    const url = new URL(text);
    const own = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    if (own !== port) continue;
    const ways = await addressesOf(url.hostname.replace(/^\[|\]$/g, '')).catch(() => []);
    if (!ways.some((way) => addresses.includes(way) || (isLoopback(way) && addresses.some(isLoopback)))) continue;
    throw new ToolquakeError('NOT_ALLOWED', {
      message: `${addresses.join(', ')} port ${port} is how this run reaches ${url.origin}: its probes would be hit.`,
      advice: 'Block what the server depends on, not the server.',
    });
  }
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.') || address === '0.0.0.0';

/**
 * The first address that answers from inside the scope. What does not answer anyway cannot be shown to have been cut off.
 */
export async function mustAnswer(scope: DependencyScope, withinMs: number, signal: AbortSignal): Promise<string> {
  const { addresses, port, whom } = scope;
  const seen: string[] = [];
  for (const address of addresses) {
    const came = await connectWithin(scope, { address, port }, { timeoutMs: withinMs, signal });
    if (came.end === 'connected') return address;
    seen.push(`${address}: ${connectedText(came)}`);
  }
  throw new ToolquakeError('UPSTREAM_UNREACHABLE', {
    message: `The dependency does not answer ${whom} on port ${port} as it is (${seen.join('; ')}), so nothing could be shown to be cut off.`,
    advice: 'Start it, or correct host, port, namespace or user.',
  });
}
