/** A page of a server beside its MCP endpoint: health, metadata. */
import type { Clock } from '@toolquake/sdk/core';
import { TargetFailure, type Stage } from '../core/connection.js';
import { systemResolve, type Resolve } from './dial.js';
import { readBody } from './http-body.js';
import { openOrigin } from './http-post.js';
import { createStageLog } from './stage-log.js';
import type { Budgets } from './target.js';

/** Pages that say how a server is are short. */
const MAX_PAGE_BYTES = 256 * 1024;

/** Fetches by GET, follows nothing. Rejects with a `TargetFailure` of `step`. */
export async function getPage(
  url: string,
  ports: {
    readonly step: Stage;
    readonly budgets: Budgets;
    readonly clock: Clock;
    readonly resolve?: Resolve | undefined;
    readonly authorities?: readonly string[] | undefined;
    readonly publicOnly?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<{ readonly status: number; readonly body: string }> {
  const { step, budgets, clock, resolve = systemResolve, authorities, publicOnly = false, signal } = ports;
  const to = new URL(url);
  const origin = openOrigin({ url: to, budgets, clock, resolve, authorities, publicOnly }, createStageLog(clock));
  try {
    const onLate = (): TargetFailure =>
      new TargetFailure({ reason: 'health_check_failed', step, detail: `${to.host} did not answer within ${budgets.healthMs} ms` });
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
    const answer = await origin.send({ method: 'GET', url: to, headers, step, limitMs: budgets.healthMs, onLate, signal });
    const body = await readBody(answer, step, MAX_PAGE_BYTES);
    return { status: answer.status, body: body.toString('utf8') };
  } finally {
    origin.close();
  }
}
