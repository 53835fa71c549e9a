import { setMaxListeners } from 'node:events';
import { realClock } from '@toolquake/sdk/interceptors';
import type { JsonObject } from '@toolquake/sdk/core';
import type { LoadSpec } from '../../core/experiment.js';
import type { TargetDefinition } from '../../targets/target.js';
import { createCaller, type Caller, type CallMessage } from '../caller.js';
import { createHoldingBook } from '../holding-book.js';
import { defineWorker } from '../worker.js';

/** What the action hands over. */
export type HoldConfig = {
  readonly target: TargetDefinition;
  readonly call: Pick<LoadSpec, 'tool' | 'arguments' | 'timeoutMs' | 'notEmpty'>;
  readonly sessions: number;
  /** From the start of a call of one session to its next. */
  readonly everyMs: number;
  readonly startedAtHostMs: number;
};

/** Sessions that are opened at once: more, and it would be a test of the door. */
const AT_ONCE = 16;
const ALONE_CALLS = 3;
const TELL_EVERY_MS = 250;

/** Far more sessions than the server has room for, each with a call now and then. Over stdio each starts a server of its own. */
export const holdSessions = defineWorker({
  role: 'hold-sessions',
  summary: 'Opens many sessions, keeps them open with calls, and tells whether the server answers, queues, refuses or says nothing.',
  async run(given: JsonObject, { env, signal, emit, hostMs }) {
    // It comes from the run, over our own stdin, which made it from a checked file.
    const { target, call, sessions, everyMs, startedAtHostMs } = given as unknown as HoldConfig;
    // Every call under way listens to it.
    setMaxListeners(0, signal);
    const nowMs = (): number => hostMs() - startedAtHostMs;
    const book = createHoldingBook(sessions);
    const onCall = (message: CallMessage): void => {
      book.ended(message.sample);
      emit(message);
    };
    const caller = (definition: TargetDefinition): Caller =>
      createCaller({ target: definition, load: { ...call, retries: 0, retryDelayMs: 0 }, clock: realClock, env, nowMs, signal, onCall });

    // How long it takes while nobody else is there: what is called waiting later is measured by this.
    const first = caller(target);
    const isOpen = await first.open();
    book.opened(isOpen);
    for (let alone = 0; alone < ALONE_CALLS && !signal.aborted; alone++) await first.callOnce();
    book.stopAlone();

    const callAgain = async (session: Caller): Promise<void> => {
      while (!signal.aborted) {
        const startMs = nowMs();
        const done = book.began(startMs);
        await session.callOnce();
        done();
        await pause(Math.max(0, startMs + everyMs - nowMs()), signal);
      }
    };
    const timer = setInterval(() => emit({ kind: 'holding', atMs: nowMs(), ...book.read(nowMs()) }), TELL_EVERY_MS);
    const callers = [first];
    const running = [callAgain(first)];
    let left = sessions - 1;
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, left) }, async () => {
        while (left > 0 && !signal.aborted) {
          left--;
          const session = caller(first.target);
          callers.push(session);
          book.opened(await session.open());
          // Whoever was not let in calls all the same: it knocks again, and again is told no.
          running.push(callAgain(session));
        }
      }),
    );
    await Promise.all(running);
    clearInterval(timer);
    await Promise.all(callers.map((one) => one.close()));
  },
});

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
