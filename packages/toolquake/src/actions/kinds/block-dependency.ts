import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { PreparedAction } from '../../core/prepared-action.js';
import { chainName } from '../../network/chain-name.js';
import { connectedText, connectWithin, type ConnectEnd } from '../../network/connect-within.js';
import { applyRules, findFirewall, rulesUndo } from '../../network/firewall.js';
import { BLOCK_WAYS, type BlockWay } from '../../network/rule-text.js';
import { lookData } from '../../network/undo-proof.js';
import { defineAction, type ActionWorld } from '../action.js';
import { DEPENDENCY_FIELDS, dependencyParams, readParams, type DependencyParams } from '../dependency-params.js';
import { addressesOf, dependencyScope, familiesOf, mustAnswer, refuseOwnWays } from '../dependency-scope.js';
import { relayFeasibility, relayHas, relayStep } from '../relay-rules.js';

const VIA = ['nft', 'iptables', 'relay'] as const;

const FIELDS = {
  ...DEPENDENCY_FIELDS,
  how: {
    kind: 'word',
    about: 'Refused at once, and open connections reset when next used (reset), refused by ICMP (unreachable), or stalled (drop).',
    words: BLOCK_WAYS,
  },
  via: { kind: 'word', about: 'By which means; whatever works here unless told otherwise.', words: VIA },
} as const;

type BlockParams = DependencyParams & { readonly how: BlockWay; readonly via: (typeof VIA)[number] | undefined };

/** Long enough for an answer on a busy machine; what is dropped takes all of it. */
const LOOK_MS = 1500;

/** A database that is down, as its server sees it. */
export const blockDependency = defineAction({
  type: 'block-dependency',
  summary: 'Cuts the server off from something that it depends on: connections are refused, or stall.',
  blast: 'server',
  params: FIELDS,
  worstCase:
    'Every tool that needs the dependency fails or hangs while it lasts; a server that ends over it is down until somebody starts it.',
  trips: [
    // The table of conditions to abort on: the probe of the protocol itself fails, so the process crashed.
    { signal: 'protocol_failures', windowMs: 120_000, minSamples: 1, above: 0, forMs: 0, origin: 'block-dependency' },
  ],
  async settle(params) {
    // Whom it hits has to be said before anybody runs or approves it.
    paramsOf(params);
    return params;
  },
  // A dependency is there or not: at a lower stage it is gone for a shorter time.
  scale: (params) => params,
  async feasibility(params, { env, signal }) {
    const read = paramsOf(params);
    if (read.via === 'relay') return relayFeasibility(read, { env, signal });
    const found = await findFirewall('block', read.via, signal);
    if (found.firewall !== undefined) return { isFeasible: true, how: found.how };
    return {
      isFeasible: false,
      why: found.why,
      act: 'Run as root with nftables or iptables, or let the server go through "toolquake proxy tcp" (via: relay).',
    };
  },
  async prepare(params, world) {
    const read = paramsOf(params);
    return read.via === 'relay' ? throughRelay(read, world) : inFirewall(read, world);
  },
});

function paramsOf(params: JsonObject): BlockParams {
  const read = readParams('block-dependency', params, FIELDS);
  // Both are words of the fields above.
  const how = (read['how'] ?? 'reset') as BlockWay;
  const via = read['via'] as BlockParams['via'];
  if (via === 'relay' && how !== 'reset')
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `block-dependency: a relay can only reset, not ${how}: open connections that stall would go on when it is cleared.`,
      advice: 'Use how: reset, or the action "plan" with the fault blackhole.',
    });
  return { ...dependencyParams('block-dependency', read), how, via };
}

async function inFirewall(read: BlockParams, world: ActionWorld): Promise<PreparedAction> {
  const scope = await dependencyScope(read, world);
  const { addresses, port, uid, namespace, whom } = scope;
  const found = await findFirewall('block', read.via === 'relay' ? undefined : read.via, world.signal, familiesOf(scope));
  if (found.firewall === undefined) throw new ToolquakeError('NOT_ALLOWED', { message: `Nothing can be blocked here: ${found.why}.` });
  const { firewall } = found;
  const address = await mustAnswer(scope, LOOK_MS, world.signal);
  const purpose = { kind: 'block', way: read.how } as const;
  const place = { name: chainName(world.runId), namespace, look: lookData(address, port, uid) };
  const facts = { aims: addresses.map((one) => ({ address: one })), port, uid, spare: undefined };
  const what = `${read.how === 'drop' ? 'drop' : 'refuse'} connections of ${whom} to ${addresses.join(', ')} port ${port}`;
  return {
    hits: [`${what}, by ${found.how} (${place.name})`],
    steps: [
      {
        name: what,
        undo: rulesUndo(firewall, purpose, familiesOf(scope), place),
        apply: () => applyRules(firewall, purpose, facts, place, world.signal),
      },
    ],
    isLasting: true,
    async verifyEffect() {
      const seen = await connectWithin(scope, { address, port }, { timeoutMs: LOOK_MS, signal: world.signal });
      const wanted: readonly ConnectEnd[] = read.how === 'drop' ? ['timeout'] : ['refused'];
      return { isInEffect: wanted.includes(seen.end), proof: `a connection of ${whom} to ${address} port ${port}: ${connectedText(seen)}` };
    },
    release: async () => {},
  };
}

async function throughRelay(read: BlockParams, world: ActionWorld): Promise<PreparedAction> {
  const { host, port } = read;
  const chain = chainName(world.runId);
  const from = { namespace: undefined, uid: undefined };
  await refuseOwnWays(await addressesOf(host), port, world);
  await mustAnswer({ ...from, addresses: [host], port, whom: 'this run' }, LOOK_MS, world.signal);
  const what = `refuse connections through the proxy at ${host}:${port}`;
  const rules = [
    { word: 'new', rule: { fault: 'connection-refused', params: { forMs: 0 } } },
    { word: 'open', rule: { fault: 'connection-drop', params: { how: 'reset' }, phase: 'pre' } },
  ];
  return {
    hits: [`${what}, open ones when they next speak`],
    steps: [relayStep(what, chain, rules, read, world)],
    isLasting: true,
    async verifyEffect() {
      const has = await relayHas(chain, read, world);
      if (!has.isInEffect) return has;
      const seen = await connectWithin(from, { address: host, port }, { timeoutMs: LOOK_MS, signal: world.signal });
      const isCut = seen.end === 'reset' || seen.end === 'refused';
      return { isInEffect: isCut, proof: `${has.proof}; a connection to ${host} port ${port}: ${connectedText(seen)}` };
    },
    release: async () => {},
  };
}
