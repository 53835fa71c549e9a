/** One caller of a workload: keeps a connection, calls one tool, tries again as a client would, and tells how each call ended. */
import { randomBytes } from 'node:crypto';
import type { Clock, JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, within, type Connection } from '../core/connection.js';
import type { LoadSpec } from '../core/experiment.js';
import type { CallEnd, Sample } from '../core/sample.js';
import { openConnection } from '../targets/open-connection.js';
import type { TargetDefinition } from '../targets/target.js';
import { endOfAnswer, endOfFailure, isWorthRetrying, type JudgedEnd } from './call-end.js';
import { fillArguments } from './operation-arguments.js';

/** One call, with the trace that its request named: the journal of a proxy on the way has it too. Empty: no request went out. */
export type CallMessage = { readonly kind: 'sample'; readonly key: string; readonly sample: Sample & { readonly source: 'call' } };

/** What a caller works with. */
export type CallerOptions = {
  readonly target: TargetDefinition;
  readonly load: Pick<LoadSpec, 'tool' | 'arguments' | 'timeoutMs' | 'retries' | 'retryDelayMs' | 'notEmpty'>;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Since the start of the run. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  readonly onCall: (message: CallMessage) => void;
};

/** See the module comment. Never rejects; what the signal broke off is told to nobody. */
export type Caller = {
  /** Connects before the first call; a failure shows again, and counts, when somebody calls. */
  open(): Promise<boolean>;
  /** The target with the era that was found, so that the next caller need not find it again. */
  readonly target: TargetDefinition;
  /** One call, without retries. */
  callOnce(): Promise<CallEnd | undefined>;
  /** One operation with the retries of its caller. */
  operate(): Promise<(Sample & { readonly source: 'task' }) | undefined>;
  close(): Promise<void>;
};

const nameOperation = (): string => randomBytes(8).toString('hex');

/** A caller that has no connection yet. */
export function createCaller(options: CallerOptions): Caller {
  const { load, clock, env, nowMs, signal, onCall } = options;
  let { target } = options;
  let connection: Connection | undefined;
  let dialling = new AbortController();
  const argumentsOf = fillArguments(load.arguments);

  const connect = async (): Promise<Connection> => {
    if (connection !== undefined) return connection;
    dialling = new AbortController();
    const dial = AbortSignal.any([signal, dialling.signal]);
    const opened = await openConnection(target, { clock, env, signal: dial, budgets: { callMs: load.timeoutMs } });
    // Found once: who reconnects while a server is ill must not ask it for its era again.
    target = { ...target, era: opened.era };
    connection = opened;
    return opened;
  };

  const hangUp = (): void => {
    const old = connection;
    connection = undefined;
    void old?.close().catch(() => {});
  };

  const ask = async (key: string, args: JsonObject, startMs: number, onSend: () => void): Promise<JudgedEnd> => {
    const params: JsonObject = {
      name: load.tool,
      arguments: args,
      _meta: { traceparent: `00-${key}-${key.slice(0, 16)}-01` },
    };
    try {
      const outcome = await within(
        { clock, limitMs: load.timeoutMs, signal },
        () => new TargetFailure({ reason: 'canary_timeout', step: 'call', detail: `no answer within ${load.timeoutMs} ms` }),
        async (patience) => {
          const stopDial = (): void => dialling.abort(new Error('given up'));
          if (connection === undefined) patience.addEventListener('abort', stopDial, { once: true });
          const open = await connect();
          patience.removeEventListener('abort', stopDial);
          patience.throwIfAborted();
          onSend();
          return open.request('tools/call', params, { signal: patience, timeoutMs: load.timeoutMs });
        },
      );
      return endOfAnswer(outcome, { ms: nowMs() - startMs, timeoutMs: load.timeoutMs, notEmpty: load.notEmpty });
    } catch (error) {
      const judged = endOfFailure(error);
      // A connection that broke is not used again; one that was only slow is.
      if (judged.end === 'broken' || judged.end === 'wrong') hangUp();
      return judged;
    }
  };

  const call = async (args: JsonObject): Promise<CallEnd | undefined> => {
    const key = randomBytes(16).toString('hex');
    const startMs = nowMs();
    let isSent = false;
    const { end, detail } = await ask(key, args, startMs, () => {
      isSent = true;
    });
    // We broke it off ourselves.
    if (signal.aborted) return undefined;
    const atMs = nowMs();
    onCall({
      kind: 'sample',
      key: isSent ? key : '',
      sample: {
        source: 'call',
        atMs,
        lane: 'control',
        tool: load.tool,
        end,
        ms: atMs - startMs,
        ...(detail === undefined ? {} : { detail }),
      },
    });
    return end;
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = clock.schedule(ms, done);
      signal.addEventListener('abort', done, { once: true });
    });

  return {
    open: () =>
      connect().then(
        () => true,
        () => false,
      ),
    get target() {
      return target;
    },
    callOnce: () => call(argumentsOf(nameOperation())),
    async operate() {
      const startMs = nowMs();
      const args = argumentsOf(nameOperation());
      for (let attempts = 1, delayMs = load.retryDelayMs; ; attempts++, delayMs *= 2) {
        const end = await call(args);
        if (end === undefined) return undefined;
        if (attempts > load.retries || !isWorthRetrying(end)) {
          const atMs = nowMs();
          return { source: 'task', atMs, isDone: end === 'ok', attempts, ms: atMs - startMs };
        }
        await pause(delayMs);
        if (signal.aborted) return undefined;
      }
    },
    async close() {
      dialling.abort(new Error('closed'));
      const old = connection;
      connection = undefined;
      await old?.close().catch(() => {});
    },
  };
}
