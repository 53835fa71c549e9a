/**
 * Health that tells the truth: it asks what the server depends on, and says in words what is wrong. Asked by many at once,
 * it asks once; a dependency that does not answer in time is a dependency that does not answer.
 */
import type { Clock } from '../core/clock.js';

/** Rejects, throws, or returns false or a reason when the dependency is not well. */
export type HealthCheck = () => unknown;

/** One dependency. */
export type CheckReport = { readonly ok: boolean; readonly ms: number; readonly reason?: string };

/** All of them. `reason` is the first thing that is wrong. */
export type HealthReport = {
  readonly status: 'ok' | 'unavailable';
  readonly reason?: string;
  readonly checks: Readonly<Record<string, CheckReport>>;
};

/** What health is asked with. */
export type HealthOptions = {
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly clock: Clock;
  /** A check that takes longer has failed. */
  readonly timeoutMs: number;
  /** An answer is good for this long: probes come from many places at once. */
  readonly keepMs: number;
};

const MAX_REASON_LENGTH = 300;
/** User and password of an address, as drivers like to say them. */
const CREDENTIALS = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@]{0,500}@/gi;
const SECRETS = /\b(password|passwd|pwd|secret|token|api[-_]?key|authorization)\b(\s*[=:]\s*)(bearer\s+)?\S+/gi;

/** Asks all checks, at most once at a time. Never rejects. */
export function createHealth({ checks, clock, timeoutMs, keepMs }: HealthOptions): () => Promise<HealthReport> {
  let kept: { readonly atMs: number; readonly report: HealthReport } | undefined;
  let asking: Promise<HealthReport> | undefined;

  const ask = async (): Promise<HealthReport> => {
    const names = Object.keys(checks);
    const reports = await Promise.all(names.map((name) => askOne(checks[name]!, clock, timeoutMs)));
    const failed = names.findIndex((_, index) => !reports[index]!.ok);
    const entries = Object.fromEntries(names.map((name, index) => [name, reports[index]!]));
    return failed < 0
      ? { status: 'ok', checks: entries }
      : { status: 'unavailable', reason: `${names[failed]!}: ${reports[failed]!.reason ?? 'not well'}`, checks: entries };
  };

  return () => {
    if (kept !== undefined && clock.nowMs() - kept.atMs < keepMs) return Promise.resolve(kept.report);
    asking ??= ask().then((report) => {
      kept = { atMs: clock.nowMs(), report };
      asking = undefined;
      return report;
    });
    return asking;
  };
}

async function askOne(check: HealthCheck, clock: Clock, timeoutMs: number): Promise<CheckReport> {
  const startedAtMs = clock.nowMs();
  const took = (): number => Math.round(clock.nowMs() - startedAtMs);
  let stop = (): void => {};
  try {
    const late = new Promise<string>((resolve) => (stop = clock.schedule(timeoutMs, () => resolve(`no answer within ${timeoutMs} ms`))));
    const said: unknown = await Promise.race([Promise.resolve().then(check), late]);
    if (said === false) return { ok: false, ms: took(), reason: 'not well' };
    if (typeof said === 'string') return { ok: false, ms: took(), reason: safeReason(said) };
    return { ok: true, ms: took() };
  } catch (error) {
    return { ok: false, ms: took(), reason: safeReason(error) };
  } finally {
    stop();
  }
}

/** One line for strangers: whoever may ask for health may not learn a password from it. */
export function safeReason(given: unknown): string {
  const text = given instanceof Error ? messageOf(given) : String(given);
  // Whoever wrote it decides how long it is: nothing below looks further than what could be shown.
  const line = text
    .slice(0, 10 * MAX_REASON_LENGTH)
    .replace(/\s+/g, ' ')
    .replace(CREDENTIALS, '$1***@')
    .replace(SECRETS, '$1$2***')
    .trim();
  return line === '' ? 'not well' : line.slice(0, MAX_REASON_LENGTH);
}

/** A refused connection to several addresses has no message of its own, only a code and the errors inside. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message;
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  if (first instanceof Error) return messageOf(first);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
