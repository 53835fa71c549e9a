/** Probe: one known call, and as many more as its expectation needs to be judged. */
import { isObject, parsePath, placesAt, type Clock, type JsonObject } from '@toolquake/sdk/core';
import type { Connection, RpcOutcome } from '../core/connection.js';
import { answerData } from '../core/answer-data.js';
import type { Canary } from '../core/expectation.js';

/** What came of the call. */
export type CanaryMeasurement = {
  readonly canary: Canary;
  readonly outcome: RpcOutcome;
  readonly durationMs: number;
  /** Progress and logs that came before the answer. */
  readonly notifications: number;
  /** The same call once more, where idempotence is expected. */
  readonly again?: RpcOutcome | undefined;
  /** All pages, walked twice, where stable pages are expected. */
  readonly walks?: readonly (readonly RpcOutcome[])[] | undefined;
};

const METHODS = { tool: 'tools/call', prompt: 'prompts/get', resource: 'resources/read' } as const;

/** Asks for progress, too: whether it comes in time shows what buffers on the way. Rejects with a `TargetFailure`. */
export async function measureCanary(connection: Connection, canary: Canary, clock: Clock): Promise<CanaryMeasurement> {
  const { idempotent, pages } = canary.expect;
  let notifications = 0;
  const ask = (more: JsonObject = {}): Promise<RpcOutcome> =>
    connection.request(METHODS[canary.asks ?? 'tool'], paramsOf(canary, more), { onNotification: () => notifications++ });
  const startMs = clock.nowMs();
  const outcome = await ask();
  const measured = { canary, outcome, durationMs: clock.nowMs() - startMs, notifications };
  const again = idempotent === true ? await ask() : undefined;
  const walks = pages === undefined ? undefined : [await walk(pages, outcome, ask), await walk(pages, await ask(), ask)];
  return { ...measured, ...(again === undefined ? {} : { again }), ...(walks === undefined ? {} : { walks }) };
}

function paramsOf({ asks, tool, arguments: given, name }: Canary, more: JsonObject): JsonObject {
  const _meta = { progressToken: `canary-${name}` };
  if (asks === 'resource') return { uri: tool, _meta };
  return { name: tool, arguments: { ...given, ...more }, _meta };
}

/** Never for ever: an endless list ends where the expectation says. */
async function walk(
  { cursor: place, argument, max }: NonNullable<Canary['expect']['pages']>,
  first: RpcOutcome,
  ask: (more: JsonObject) => Promise<RpcOutcome>,
): Promise<readonly RpcOutcome[]> {
  const pages = [first];
  const steps = parsePath(place) ?? [];
  for (let last = first; pages.length < max && last.kind === 'result' && isObject(last.result);) {
    const next = placesAt(answerData(last.result), steps)[0]?.value;
    if (next === undefined || next === null || next === '') break;
    last = await ask({ [argument]: next });
    pages.push(last);
  }
  return pages;
}
