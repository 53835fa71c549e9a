import { isIPv6 } from 'node:net';
import { createCatalogue, createDecider, keyedRandom, requirePlan, type JsonObject } from '@toolquake/sdk/core';
import { latency } from '@toolquake/sdk/faults';
import { realClock } from '@toolquake/sdk/interceptors';
import { isSameNamespace, ownNamespace, type NamespaceFacts } from '../../network/namespace.js';
import { commandPath } from '../../network/trusted-command.js';
import { startTcpProxy } from '../../proxies/tcp-proxy.js';
import { startWorker } from '../start-worker.js';
import { defineWorker, type WorkerWorld } from '../worker.js';

/** What the run hands over. */
export type RelayConfig = {
  /** One relay for each; they share the port of the dependency. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly seed: number;
  /** Connections to the dependency leave from these local ports, by which rules tell them from others. */
  readonly spare: { readonly from: number; readonly to: number };
  /** Where it is to work; null: where it was started. */
  readonly namespace: NamespaceFacts | null;
};

/** Relays that delay what goes to a dependency. Says `listening` with their ports, and then how many connections they carried. */
export const relay = defineWorker({
  role: 'relay',
  summary: 'Relays connections to a dependency, and delays every request.',
  async run(given: JsonObject, world) {
    // It comes from the run, over our own stdin, which made it from checked parameters.
    const config = given as unknown as RelayConfig;
    if (config.namespace === null) return relays(config, world);
    if (isSameNamespace(config.namespace, ownNamespace())) return relays({ ...config, namespace: null }, world);
    return inside(config, config.namespace, world);
  },
});

/** A process cannot change its network namespace once it runs: another one is started there, and lives as long as this one. */
async function inside(config: RelayConfig, namespace: NamespaceFacts, { env, signal, emit }: WorkerWorld): Promise<void> {
  const nsenter = commandPath('nsenter');
  if (nsenter === undefined) throw new Error('There is no nsenter on this machine.');
  // Should the path lead elsewhere by now, the one inside sees that it is in the wrong place, and tries no further.
  if (env[IS_INSIDE] === '1') throw new Error(`${namespace.path} is another network namespace by now.`);
  const worker = await startWorker('relay', config, {
    env: { ...env, [IS_INSIDE]: '1' },
    program: process.argv[1],
    within: [nsenter, `--net=${namespace.path}`, '--'],
    graceMs: 500,
  });
  worker.onMessage(emit);
  worker.go();
  await Promise.race([worker.ended, aborted(signal)]);
  const isBroken = !signal.aborted;
  await worker.stop();
  if (isBroken) throw new Error(`The relay in ${namespace.path} has ended.`);
}

const IS_INSIDE = 'TOOLQUAKE_RELAY_IS_INSIDE';

async function relays({ addresses, port, delayMs, jitterMs, seed, spare }: RelayConfig, { signal, emit }: WorkerWorld): Promise<void> {
  const rule = { id: 'slow', fault: 'latency', phase: 'pre', params: { addedMs: delayMs, jitterMs } };
  const plan = requirePlan({ version: 1, seed, rules: [rule] }, createCatalogue({ latency }), { transport: 'tcp' });
  const startedAtMs = realClock.nowMs();
  let carried = 0;
  let told = 0;
  const localPort = (): number => spare.from + (carried++ % (spare.to - spare.from + 1));
  const proxies = await Promise.all(
    addresses.map((address) =>
      startTcpProxy({
        upstream: { host: address, port },
        host: isIPv6(address) ? '::1' : '127.0.0.1',
        port: 0,
        decider: createDecider({ plan, random: keyedRandom(seed), transport: 'tcp', startedAtMs, observesAll: false }),
        clock: realClock,
        journal: () => {},
        startedAtMs,
        localPort,
        onUnreachable: (why) => emit({ kind: 'unreachable', why }),
        onProblem: (error) => emit({ kind: 'problem', message: error instanceof Error ? error.message : String(error) }),
      }),
    ),
  );
  emit({ kind: 'listening', ports: proxies.map((proxy) => proxy.address.port) });
  const timer = setInterval(() => {
    if (carried > told) emit({ kind: 'carried', connections: (told = carried) });
  }, 100);
  await aborted(signal);
  clearInterval(timer);
  await Promise.all(proxies.map((proxy) => proxy.stop()));
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
