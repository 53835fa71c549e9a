/** A Redis client whose nine best-known commands meet the faults of a target, with the texts of mcp-chaos-monkey. */
import type { FaultConfig } from '../controller/parse-fault-config.js';
import { patchProperty } from '../core/patch-property.js';
import { currentController } from './controller.js';
import type { FaultTarget } from './fault.js';
import { loggerFor } from './logger.js';
import type { Waits } from './waits.js';

const COMMANDS = ['get', 'set', 'del', 'hget', 'hset', 'expire', 'ttl', 'keys', 'mget'] as const;

type Command = (...args: unknown[]) => unknown;

const PERFORMED: readonly string[] = ['latency', 'error', 'timeout', 'connection-refused'];
const performs = ({ type }: FaultConfig): boolean => PERFORMED.includes(type);

/** Wraps the commands of a client. Returns the undo, which puts back what was there. */
export function wrapRedisWithChaos(client: object, target: FaultTarget = 'redis'): () => void {
  const owner = client as Record<string, unknown>;
  // Under a later wrapper this one stays in place until that is gone; it must not act any more all the same.
  const wrapper = { isUndone: false };
  const undos = COMMANDS.flatMap((cmd) => {
    const original = owner[cmd];
    return typeof original === 'function'
      ? [patchProperty(owner, cmd, wrapped(owner, cmd, original as Command, () => (wrapper.isUndone ? undefined : target)) as object)]
      : [];
  });
  return () => {
    wrapper.isUndone = true;
    for (const undo of undos.toReversed()) undo();
  };
}

function wrapped(client: object, cmd: string, original: Command, targetNow: () => FaultTarget | undefined): Command {
  return (...args) => {
    const controller = currentController();
    const target = controller === undefined ? undefined : targetNow();
    const fault = target === undefined ? undefined : (controller?.getFault(target, performs) ?? undefined);
    // The very promise of the client: it may carry more than a value.
    if (controller === undefined || fault === undefined) return original.apply(client, args);
    loggerFor('chaos-redis').debug({ target, cmd, faultType: fault.type }, 'Chaos Redis fault triggered');
    return afterFault(fault, controller.waits, args.at(-1), () => original.apply(client, args));
  };
}

async function afterFault(fault: FaultConfig, waits: Waits, callback: unknown, goOn: () => unknown): Promise<unknown> {
  const error = await refusal(fault, waits);
  if (error === undefined) return goOn();
  if (typeof callback !== 'function') throw error;
  // Whoever gave a callback looks at no promise.
  (callback as Command)(error);
  return undefined;
}

/** The error that a command ends with; undefined when it goes on after all. */
async function refusal(fault: FaultConfig, waits: Waits): Promise<Error | undefined> {
  switch (fault.type) {
    case 'latency':
      await waits.wait(fault.delayMs);
      return undefined;
    case 'error':
      return new Error(`Chaos Redis error: ${fault.message ?? 'connection lost'}`);
    case 'timeout':
      await waits.wait(fault.hangMs);
      return new Error('Chaos Redis timeout');
    case 'connection-refused':
      return new Error('Redis connection refused (chaos)');
    default:
      return undefined;
  }
}
