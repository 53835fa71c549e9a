/** Probe: one known call. */
import type { Clock } from '@toolquake/sdk/core';
import type { Connection, RpcOutcome } from '../core/connection.js';
import type { Canary } from '../core/expectation.js';

/** What came of the call. */
export type CanaryMeasurement = {
  readonly canary: Canary;
  readonly outcome: RpcOutcome;
  readonly durationMs: number;
  /** Progress and logs that came before the answer. */
  readonly notifications: number;
};

/** Asks for progress, too: whether it comes in time shows what buffers on the way. Rejects with a `TargetFailure`. */
export async function measureCanary(connection: Connection, canary: Canary, clock: Clock): Promise<CanaryMeasurement> {
  let notifications = 0;
  const startMs = clock.nowMs();
  const params = { name: canary.tool, arguments: canary.arguments, _meta: { progressToken: `canary-${canary.name}` } };
  const outcome = await connection.request('tools/call', params, { onNotification: () => notifications++ });
  return { canary, outcome, durationMs: clock.nowMs() - startMs, notifications };
}
