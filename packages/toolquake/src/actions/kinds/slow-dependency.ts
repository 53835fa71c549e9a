import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { EffectProof, PreparedAction } from '../../core/prepared-action.js';
import { chainName } from '../../network/chain-name.js';
import { connectedText, connectWithin, type Connected, type Viewpoint } from '../../network/connect-within.js';
import { lookData } from '../../network/undo-proof.js';
import { defineAction, type ActionWorld } from '../action.js';
import { DEPENDENCY_FIELDS, dependencyParams, readParams, type DependencyParams } from '../dependency-params.js';
import { addressesOf, dependencyScope, familiesOf, mustAnswer, refuseOwnWays } from '../dependency-scope.js';
import { relayFeasibility, relayHas, relayStep } from '../relay-rules.js';
import { findSlowMeans, hasLoopback, netemStep, redirectSteps } from '../slow-means.js';

const VIA = ['netem', 'redirect', 'relay'] as const;
const MAX_DELAY_MS = 10 * 60_000;

const FIELDS = {
  ...DEPENDENCY_FIELDS,
  delayMs: { kind: 'time', about: 'Time added to every request to the dependency.', isRequired: true, max: MAX_DELAY_MS },
  jitterMs: {
    kind: 'time',
    about: 'Up to this much more or less (netem), or more (relay), drawn anew each time.',
    min: 0,
    max: MAX_DELAY_MS,
  },
  via: { kind: 'word', about: 'By which means; whatever works here unless told otherwise.', words: VIA },
  existing: {
    kind: 'word',
    about:
      'For via redirect: connections that are open already are reset when they are next used, so that they come back slow, or kept as they are.',
    words: ['reset', 'keep'],
  },
  interface: {
    kind: 'text',
    about: 'For via netem: the network interface; the one that leads to the dependency unless told otherwise.',
    pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/,
    likeThis: 'eth0',
  },
} as const;

type SlowParams = DependencyParams & {
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly via: (typeof VIA)[number] | undefined;
  readonly isCutting: boolean;
  readonly dev: string | undefined;
};

/** A database that is busy, or far away. */
export const slowDependency = defineAction({
  type: 'slow-dependency',
  summary: 'Makes something that the server depends on slow: every request to it takes longer.',
  blast: 'server',
  params: FIELDS,
  worstCase:
    'Every tool that needs the dependency is slower, and pools and timeouts fill up behind it. By redirect, connections that are open are reset once when it begins and once when it ends.',
  trips: [
    // The table of conditions to abort on: p95 over 10 s, or errors over 5 %.
    { signal: 'call_p95_ms', windowMs: 30_000, minSamples: 20, above: 10_000, forMs: 0, origin: 'slow-dependency' },
    { signal: 'error_rate', windowMs: 30_000, minSamples: 20, above: 0.05, forMs: 0, origin: 'slow-dependency' },
  ],
  async settle(params) {
    // Whom it hits has to be said before anybody runs or approves it.
    paramsOf(params);
    return params;
  },
  scale(params, share) {
    const { delayMs, jitterMs } = paramsOf(params);
    return { ...params, delayMs: Math.max(1, Math.round(delayMs * share)), jitterMs: Math.round(jitterMs * share) };
  },
  async feasibility(params, { env, signal }) {
    const read = paramsOf(params);
    if (read.via === 'relay') return relayFeasibility(read, { env, signal });
    const means = await findSlowMeans(read.via, read.user !== undefined, signal);
    if (means.kind !== 'none') return { isFeasible: true, how: means.how };
    return {
      isFeasible: false,
      why: means.why,
      act: 'Run as root with nftables or iptables, or let the server go through "toolquake proxy tcp" (via: relay).',
    };
  },
  async prepare(params, world) {
    const read = paramsOf(params);
    return read.via === 'relay' ? throughRelay(read, world) : inNetwork(read, read.via, world);
  },
});

function paramsOf(params: JsonObject): SlowParams {
  const read = readParams('slow-dependency', params, FIELDS);
  // All of these have the types of the fields above.
  const {
    delayMs,
    jitterMs = 0,
    via,
    existing,
    interface: dev,
  } = read as {
    delayMs: number;
    jitterMs?: number;
    via?: SlowParams['via'];
    existing?: 'reset' | 'keep';
    interface?: string;
  };
  return { ...dependencyParams('slow-dependency', read), delayMs, jitterMs, via, isCutting: existing !== 'keep', dev };
}

async function inNetwork(read: SlowParams, via: 'netem' | 'redirect' | undefined, world: ActionWorld): Promise<PreparedAction> {
  const scope = await dependencyScope(read, world);
  const { addresses, port, uid, namespace, whom } = scope;
  const means = await findSlowMeans(via, uid !== undefined, world.signal, familiesOf(scope));
  if (means.kind === 'none') throw new ToolquakeError('NOT_ALLOWED', { message: `Nothing can be slowed here: ${means.why}.` });
  const address = await mustAnswer(scope, LOOK_MS, world.signal);
  const base = await quickestLook(scope, { address, port }, world.signal);
  const name = chainName(world.runId);
  const what = `slow connections of ${whom} to ${addresses.join(', ')} port ${port} by ${spreadText(read)}`;
  const hits = [`${what}, by ${means.how} (${name})`];
  const seen = (): Promise<Connected> => look(scope, { address, port }, read.delayMs + read.jitterMs, world.signal);
  if (means.kind === 'netem') {
    const step = await netemStep(what, name, scope, read, read.dev, world);
    return {
      hits,
      steps: [step],
      isLasting: true,
      verifyEffect: async () => slowProof(await seen(), base, read, 'connectMs'),
      release: async () => {},
    };
  }
  if (!(await hasLoopback(scope, world.signal)))
    throw new ToolquakeError('NOT_ALLOWED', {
      message: `Loopback is down in ${whom}, and the relay would listen there.`,
      advice: 'Bring it up ("ip link set lo up" inside), or use via: netem.',
    });
  const place = { name, namespace, look: lookData(address, port, uid) };
  const { steps, carried, release } = await redirectSteps(what, means.firewall, place, scope, read, world);
  return {
    hits: [...hits, ...(read.isCutting ? ['connections that are open already are reset when they are next used'] : [])],
    steps,
    isLasting: true,
    async verifyEffect() {
      const before = carried();
      const last = await seen();
      const proof = slowProof(last, base, read, 'roundMs');
      if (proof.isInEffect || last.end !== 'connected') return proof;
      // A dependency that says nothing to us shows no round trip; that it was reached through the relay is what there is to see.
      return { isInEffect: carried() > before, proof: `${proof.proof}; ${carried()} connections through the relay` };
    },
    release,
  };
}

async function throughRelay(read: SlowParams, world: ActionWorld): Promise<PreparedAction> {
  const { host, port, delayMs, jitterMs } = read;
  const chain = chainName(world.runId);
  const from = { namespace: undefined, uid: undefined };
  await refuseOwnWays(await addressesOf(host), port, world);
  await mustAnswer({ ...from, addresses: [host], port, whom: 'this run' }, LOOK_MS, world.signal);
  const base = await quickestLook(from, { address: host, port }, world.signal);
  const what = `slow what goes through the proxy at ${host}:${port} by ${spreadText(read)}`;
  const rule = { fault: 'latency', phase: 'pre', params: { addedMs: delayMs, jitterMs } };
  return {
    hits: [what],
    steps: [relayStep(what, chain, [{ word: 'slow', rule }], read, world)],
    isLasting: true,
    async verifyEffect() {
      const has = await relayHas(chain, read, world);
      if (!has.isInEffect) return has;
      const proof = slowProof(await look(from, { address: host, port }, delayMs + jitterMs, world.signal), base, read, 'roundMs');
      return { isInEffect: proof.isInEffect, proof: `${has.proof}; ${proof.proof}` };
    },
    release: async () => {},
  };
}

/** Besides the delay itself. */
const LOOK_MS = 1500;
/** A run asks for no longer than ten seconds whether it works, and starting to look takes some of it. */
const MAX_LOOK_MS = 7000;
const lookMs = (addedMs: number): number => Math.min(LOOK_MS + 2 * addedMs, MAX_LOOK_MS);

const look = (
  from: Viewpoint,
  to: { readonly address: string; readonly port: number },
  addedMs: number,
  signal: AbortSignal,
): Promise<Connected> => connectWithin(from, to, { timeoutMs: lookMs(addedMs), isPoking: true, signal });

/** A pause of this host in the middle of one look is no property of the dependency: nothing would look slow beside it. */
async function quickestLook(from: Viewpoint, to: Parameters<typeof look>[1], signal: AbortSignal): Promise<Connected> {
  const looks = [await look(from, to, 0, signal), await look(from, to, 0, signal), await look(from, to, 0, signal)];
  const timeOf = ({ end, connectMs, roundMs }: Connected): number => (end === 'connected' ? connectMs + (roundMs ?? 0) : Infinity);
  return looks.reduce((best, one) => (timeOf(one) < timeOf(best) ? one : best));
}

const spreadText = ({ delayMs, jitterMs }: SlowParams): string => `${delayMs} ms${jitterMs === 0 ? '' : ` ± ${jitterMs} ms`}`;

/** Timers may be a little early, and jitter of the kernel goes both ways. Whoever is slower than we can wait for is slow enough. */
function slowProof(seen: Connected, base: Connected, { delayMs, jitterMs }: SlowParams, what: 'connectMs' | 'roundMs'): EffectProof {
  const waitedMs = lookMs(delayMs + jitterMs);
  const then = base[what];
  const isOutOfSight = 0.8 * delayMs > waitedMs && (seen.end === 'timeout' || (seen.end === 'connected' && seen[what] === null));
  const now = isOutOfSight ? waitedMs : seen.end === 'connected' ? seen[what] : null;
  const isSlower = now !== null && then !== null && now - then >= Math.max(1, Math.min(0.8 * delayMs - jitterMs, 0.8 * waitedMs));
  const words = isOutOfSight ? `no answer within ${waitedMs} ms` : connectedText(seen);
  return { isInEffect: isSlower, proof: `${words}, where it had been: ${connectedText(base)}` };
}
