/** By which means a dependency can be slowed: by the kernel, or by relays that connections are led through. */
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { PreparedStep } from '../core/prepared-action.js';
import { applyRules, findFirewall, rulesUndo, type Firewall, type RulePlace } from '../network/firewall.js';
import { tryNetemBelowQueue, type Families } from '../network/means.js';
import { namespaceData } from '../network/namespace.js';
import { handleOf, netemCalls, netemLeaf, readInterface, readQueues, rootHandle } from '../network/netem.js';
import { mustRun } from '../network/trusted-command.js';
import { endProcessUndo } from '../undo/end-process-undo.js';
import type { RelayConfig } from '../workers/roles/relay.js';
import type { ActionWorld } from './action.js';
import { familiesOf, type DependencyScope } from './dependency-scope.js';

/** Where relays connect from: above what systems choose by themselves, so that rules can tell their connections apart. */
const SPARE_PORTS = { from: 61_000, to: 64_999 } as const;

/** What was found. */
export type SlowMeans =
  | { readonly kind: 'netem'; readonly how: string }
  | { readonly kind: 'redirect'; readonly how: string; readonly firewall: Firewall }
  | { readonly kind: 'none'; readonly why: string };

/** netem where the kernel has it, else relays. netem knows no users. */
export async function findSlowMeans(
  only: 'netem' | 'redirect' | undefined,
  hasUser: boolean,
  signal: AbortSignal,
  families?: Families,
): Promise<SlowMeans> {
  const whys: string[] = [];
  if (only !== 'redirect' && hasUser) whys.push('netem cannot tell users apart');
  else if (only !== 'redirect') {
    const trial = await tryNetemBelowQueue(signal);
    if (trial.works) return { kind: 'netem', how: 'netem' };
    whys.push(`netem: ${trial.why}`);
  }
  if (only !== 'netem') {
    const found = await findFirewall('redirect', undefined, signal, families);
    if (found.firewall !== undefined)
      return { kind: 'redirect', how: `a relay, and ${found.how} that leads to it`, firewall: found.firewall };
    whys.push(found.why);
  }
  return { kind: 'none', why: whys.join('; ') };
}

/** How slow. */
export type Delay = { readonly delayMs: number; readonly jitterMs: number };

/** The step that hangs netem below the interface. Throws over a root queue that is somebody's: deleting ours would not bring it back. */
export async function netemStep(
  name: string,
  chain: string,
  scope: DependencyScope,
  { delayMs, jitterMs }: Delay,
  given: string | undefined,
  { signal }: Pick<ActionWorld, 'signal'>,
): Promise<PreparedStep> {
  const { addresses, port, namespace } = scope;
  const dev = readInterface(given ?? (await interfaceTo(scope, signal)));
  const before = await readQueues(dev, namespace, signal);
  if (rootHandle(before) !== '0:')
    throw new ToolquakeError('NOT_ALLOWED', {
      message: `${dev} has a root queue that somebody set up: ${before.split('\n')[0] ?? 'none that can be read'}.`,
      advice: 'It would be lost. Use via: redirect, which touches no queue.',
    });
  const handle = handleOf(chain);
  const calls = netemCalls({ dev, handle, addresses, port, leaf: netemLeaf(delayMs, jitterMs) });
  return {
    name,
    undo: { kind: 'qdisc', data: { interface: dev, handle, before, namespace: namespaceData(namespace) } },
    async apply() {
      for (const args of calls) await mustRun({ command: 'tc', args, namespace, signal });
    },
  };
}

async function interfaceTo({ addresses, namespace }: DependencyScope, signal: AbortSignal): Promise<string> {
  const devs = new Set<string>();
  for (const address of addresses) {
    const text = await mustRun({ command: 'ip', args: ['route', 'get', address], namespace, signal });
    const dev = /\bdev (\S+)/.exec(text)?.[1];
    if (dev !== undefined) devs.add(dev);
  }
  const [dev, ...others] = devs;
  if (dev !== undefined && others.length === 0) return dev;
  throw new ToolquakeError('IMPOSSIBLE', {
    message: `The dependency is reached through ${devs.size} interfaces${devs.size === 0 ? '' : ` (${[...devs].join(', ')})`}.`,
    advice: 'Give one address as host, or use via: redirect.',
  });
}

/** How long a relay may take to listen, also on a busy machine. */
const LISTEN_MS = 15_000;

/** The relays and the rules that lead to them, in this order: undone the other way round, nobody is led to a relay that is gone. */
export async function redirectSteps(
  name: string,
  firewall: Firewall,
  place: RulePlace,
  scope: DependencyScope,
  { delayMs, jitterMs, isCutting }: Delay & { readonly isCutting: boolean },
  world: Pick<ActionWorld, 'startWorker' | 'signal' | 'seed' | 'clock'>,
): Promise<{ readonly steps: readonly PreparedStep[]; readonly carried: () => number; readonly release: () => Promise<void> }> {
  const { addresses, port, namespace, uid } = scope;
  const config: RelayConfig = { addresses, port, delayMs, jitterMs, seed: world.seed, spare: SPARE_PORTS, namespace: namespace ?? null };
  const worker = await world.startWorker('relay', { ...config });
  let carried = 0;
  let ports: readonly number[] | undefined;
  let isBegun = false;
  let onListening = (): void => {};
  worker.onMessage((message: JsonObject) => {
    if (message['kind'] === 'carried' && typeof message['connections'] === 'number') carried = message['connections'];
    if (message['kind'] === 'listening' && Array.isArray(message['ports'])) {
      ports = message['ports'].map(Number);
      onListening();
    }
  });
  const purpose = { kind: 'redirect', isCutting } as const;
  const steps: PreparedStep[] = [
    {
      name: `a relay to ${addresses.join(', ')} port ${port} that delays by ${delayMs} ms`,
      undo: endProcessUndo(worker.pid),
      async apply() {
        isBegun = true;
        await new Promise<void>((resolve, reject) => {
          onListening = resolve;
          const stop = world.clock.schedule(LISTEN_MS, () => reject(new Error('The relay does not listen in time.')));
          void worker.ended.then(({ code, signal }) => {
            stop();
            reject(new Error(`The relay ended at once (${signal ?? code}).`));
          });
          worker.go();
        });
      },
    },
    {
      name,
      undo: rulesUndo(firewall, purpose, familiesOf(scope), place),
      apply: () => {
        const aims = addresses.map((address, index) => ({ address, relayPort: ports?.[index] }));
        return applyRules(firewall, purpose, { aims, port, uid, spare: SPARE_PORTS }, place, world.signal);
      },
    },
  ];
  // Once it works, ending it is an undo, and stands in the ledger.
  return { steps, carried: () => carried, release: async () => void (isBegun || (await worker.stop())) };
}

/** Can connections be led to a relay on loopback in this namespace? */
export async function hasLoopback({ namespace }: DependencyScope, signal: AbortSignal): Promise<boolean> {
  const text = await mustRun({ command: 'ip', args: ['-j', 'link', 'show', 'dev', 'lo'], namespace, signal });
  const links: unknown = JSON.parse(text);
  const [lo]: readonly unknown[] = Array.isArray(links) ? links : [];
  return isObject(lo) && Array.isArray(lo['flags']) && lo['flags'].includes('UP');
}
