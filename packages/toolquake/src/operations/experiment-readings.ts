/** Numbers that are read from a tool again and again while an experiment runs: what the server really did. */
import { parsePath, placesAt } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { answerData } from '../core/answer-data.js';
import type { Connection } from '../core/connection.js';
import type { ReadingSpec } from '../core/experiment.js';
import type { Sample } from '../core/sample.js';
import { openConnection } from '../targets/open-connection.js';

/** What watching needs. */
export type ReadingWorld = {
  /** Asked directly, never through the proxy of the run: this is the truth that callers are compared with. */
  readonly upstream: ConfiguredTarget;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly onSample: (sample: Sample) => void;
};

/** Reads until the signal aborts. What cannot be read is no sample: silence trips. */
export async function watchReading({ name, tool, arguments: given, path, everyMs }: ReadingSpec, world: ReadingWorld): Promise<void> {
  const { upstream, env, signal, nowMs, onSample } = world;
  const steps = parsePath(path) ?? [];
  let connection: Connection | undefined;
  while (!signal.aborted) {
    const startedAtMs = nowMs();
    try {
      connection ??= await openConnection(upstream.target, { clock: realClock, env, signal });
      const outcome = await connection.request(
        'tools/call',
        { name: tool, arguments: given },
        { signal, timeoutMs: Math.max(everyMs, 1000) },
      );
      const value = outcome.kind === 'result' ? placesAt(answerData(outcome.result), steps)[0]?.value : undefined;
      if (typeof value === 'number' && Number.isFinite(value)) onSample({ source: 'reading', atMs: nowMs(), name, value });
    } catch {
      // A server that does not answer is told of by the probe; here it only means that there is no number.
      await connection?.close().catch(() => {});
      connection = undefined;
    }
    await pause(Math.max(0, everyMs - (nowMs() - startedAtMs)), signal);
  }
  await connection?.close().catch(() => {});
}

/** Resolves after a while, or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = realClock.schedule(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
