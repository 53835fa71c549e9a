/** Probe: what a server says about its own health. */
import { isObject } from '@toolquake/sdk/core';
import type { HealthCheck } from '../core/expectation.js';

/** Fetches a page; rejects with a `TargetFailure` of the step `health`. */
export type GetPage = (url: string) => Promise<{ readonly status: number; readonly body: string }>;

/** The status, and the server's own reason where its body has one. */
export type HealthMeasurement = { readonly check: HealthCheck; readonly status: number; readonly reason: string | undefined };

/** Asks once. */
export async function measureHealth(check: HealthCheck, getPage: GetPage): Promise<HealthMeasurement> {
  const { status, body } = await getPage(check.url);
  return { check, status, reason: reasonIn(body, check.reasonField) };
}

function reasonIn(body: string, field: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const reason = isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
    if (typeof reason === 'string') return reason;
    return reason === undefined || reason === null ? undefined : JSON.stringify(reason);
  } catch {
    return undefined;
  }
}
