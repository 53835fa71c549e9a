/** A target as a benchmark calls it: one connection, kept open, and a sentence for every call that failed. */
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { TargetFailure, type Connection } from '../core/connection.js';
import type { Caller } from '../gates/latency/measure.js';
import { redactText } from '../recordings/redact.js';
import { openConnection } from '../targets/open-connection.js';
import type { TargetDefinition } from '../targets/target.js';

/** An open target. */
export type BenchTarget = { readonly name: string; readonly caller: Caller; close(): Promise<void> };

/** What opening needs of the world. */
export type BenchWorld = { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal | undefined };

/** Connects and says hello. A target that cannot be reached is nothing to measure, so it is an error here, not a result. */
async function openBenchTarget(target: TargetDefinition, { env, signal }: BenchWorld): Promise<BenchTarget> {
  try {
    const connection = await openConnection(target, { env, signal, clock: realClock });
    return { name: target.name, caller: callerOf(connection), close: () => connection.close() };
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    throw new ToolquakeError(error.reason === 'probe_config_error' ? 'BAD_ARGUMENT' : 'UPSTREAM_UNREACHABLE', {
      message: `${target.name} cannot be measured: ${redactText(error.message)}.`,
      advice: error.advice,
      cause: error,
    });
  }
}

/** Opens targets one after the other; when one fails, those before it are closed again. */
export async function withBenchTargets<Result>(
  targets: readonly TargetDefinition[],
  world: BenchWorld,
  work: (open: readonly BenchTarget[]) => Promise<Result>,
): Promise<Result> {
  const open: BenchTarget[] = [];
  try {
    for (const target of targets) open.push(await openBenchTarget(target, world));
    return await work(open);
  } finally {
    // Whatever came of the work; one that does not close well must not keep the others open.
    await Promise.allSettled(open.map((target) => target.close()));
  }
}

function callerOf(connection: Connection): Caller {
  return async (call, signal) => {
    try {
      const outcome = await connection.request('tools/call', { name: call.tool, arguments: { ...call.arguments } }, { signal });
      if (outcome.kind === 'error') return excerpt(`error ${outcome.error.code}: ${outcome.error.message}`);
      return outcome.result['isError'] === true ? excerpt(`the tool said: ${textOf(outcome.result)}`) : undefined;
    } catch (error) {
      if (error instanceof TargetFailure) return excerpt(error.message);
      throw error;
    }
  };
}

function textOf({ content }: JsonObject): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [])).join(' ');
}

/** Enough to know the mistake by. */
const MAX_CHARACTERS = 300;

const excerpt = (text: string): string => redactText(text.slice(0, MAX_CHARACTERS)).replaceAll(/\s+/g, ' ').trim();
