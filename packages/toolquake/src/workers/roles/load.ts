import { setMaxListeners } from 'node:events';
import type { JsonObject } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import type { LoadSpec } from '../../core/experiment.js';
import type { TargetDefinition } from '../../targets/target.js';
import { createCaller, type Caller } from '../caller.js';
import { createShortageNotes, runOpenLoop } from '../open-loop.js';
import { defineWorker } from '../worker.js';

/** What the run hands over: `load` and `target` were checked when the file was read. */
export type LoadConfig = {
  readonly load: LoadSpec;
  readonly target: TargetDefinition;
  readonly startedAtHostMs: number;
  /** A header of a proxy that names sessions: then draws depend on the number of the caller alone. Only over HTTP. */
  readonly labelHeader?: string | undefined;
};

const TELL_EVERY_MS = 1000;

/** A workload at a fixed rate. Over stdio each caller has a server process of its own. */
export const load = defineWorker({
  role: 'load',
  summary: 'Calls one tool at a fixed rate, as a number of clients that try again, and tells how each call ended.',
  async run(given: JsonObject, { env, signal, emit, hostMs }) {
    // It comes from the run, over our own stdin, which made it from a checked file.
    const { load: spec, target, startedAtHostMs, labelHeader } = given as unknown as LoadConfig;
    // Every call under way listens to it.
    setMaxListeners(0, signal);
    const nowMs = (): number => hostMs() - startedAtHostMs;
    const counts = { arrivals: 0, missed: 0, calls: 0 };
    const callers: Caller[] = [];
    let known = target;
    let isThere = true;
    for (let index = 1; index <= spec.clients; index++) {
      const caller = createCaller({
        target: labelled(known, labelHeader, index),
        load: spec,
        clock: realClock,
        env,
        nowMs,
        signal,
        onCall(message) {
          counts.calls++;
          emit(message);
        },
      });
      callers.push(caller);
      // One after the other: servers and proxies number their clients in the order in which they come. Who finds nobody there
      // tries again with his first call.
      isThere &&= !signal.aborted && (await caller.open());
      known = { ...known, era: caller.target.era };
    }
    const free: Caller[] = [...callers];
    const busy = new Set<Promise<void>>();
    const serve = async (caller: Caller): Promise<void> => {
      const sample = await caller.operate();
      if (sample !== undefined) emit({ kind: 'sample', sample });
      free.push(caller);
    };
    const shortage = createShortageNotes((text) => emit({ kind: 'note', text }));
    const tell = (): void => {
      emit({ kind: 'load', atMs: nowMs(), ...counts });
      shortage.look(counts.missed, nowMs());
    };
    const timer = setInterval(tell, TELL_EVERY_MS);
    await runOpenLoop({
      clock: realClock,
      perSecond: spec.perSecond,
      signal,
      onArrival() {
        counts.arrivals++;
        const caller = free.shift();
        // All are still waiting for the server: this one would have come, and is counted.
        if (caller === undefined) return void counts.missed++;
        const serving: Promise<void> = serve(caller).finally(() => busy.delete(serving));
        busy.add(serving);
      },
    });
    clearInterval(timer);
    await Promise.all(busy);
    tell();
    await Promise.all(callers.map((caller) => caller.close()));
  },
});

/** The same target under the name of one caller. */
function labelled(target: TargetDefinition, header: string | undefined, caller: number): TargetDefinition {
  if (header === undefined || target.kind !== 'url') return target;
  return { ...target, headers: { ...target.headers, [header]: `load-${caller}` } };
}
