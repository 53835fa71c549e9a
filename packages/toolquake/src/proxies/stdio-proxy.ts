/**
 * The stdio proxy: stands between a client's pipes and a server it starts. Lines nobody cares about leave as the bytes
 * they came as; for the rest the performer decides. Observes the conversation, never takes part in it.
 */
import type { Readable, Writable } from 'node:stream';
import {
  batchOf,
  createBatchSieve,
  createPerformer,
  createSessionNames,
  exchangeOf,
  frameBytes,
  frameFromBytes,
  frameHead,
  isUntouchedBatch,
  MAX_FRAME_BYTES,
  rebuildBatch,
  startSession,
  type Batch,
  type BatchSieve,
  type Clock,
  type Decider,
  type Direction,
  type Effect,
  type Frame,
  type JournalSink,
  type Performer,
  type Plan,
} from '@toolquake/sdk/core';
import { createLineFramer, type LineFramer, type LineVerdict } from './line-framing.js';
import { createStdioEnds, TERMINATE_GRACE_MS } from './stdio-ends.js';
import { createLane, type Lane } from './stdio-lane.js';
import { createLateEnd } from './stdio-late-end.js';
import type { ProcessEnd, ServerProcess } from './stdio-server.js';
import { ownTimers } from './stdio-timers.js';

/** What a proxy is started with. */
export type StdioProxyOptions = {
  /** A server that was started with pipes. */
  readonly server: ServerProcess;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly plan: Plan;
  /** Rules may come later: everything is watched from the start. */
  readonly mayChange?: boolean | undefined;
  readonly decider: Decider;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly journal: JournalSink;
  /** See `PerformerOptions`. */
  readonly operationKey?: Uint8Array | undefined;
  readonly onProblem: (error: unknown) => void;
  /** A mistake of our own ends the session, instead of letting the traffic pass untouched. */
  readonly isStrict?: boolean | undefined;
  readonly label?: string | undefined;
  readonly target?: string | undefined;
  readonly maxFrameBytes?: number | undefined;
};

/** A running proxy. */
export type StdioProxy = {
  readonly performer: Performer;
  /** How the server ended, once everything it said was handed on. `isFailed` when strictness ended it. */
  readonly finished: Promise<ProcessEnd & { readonly isFailed: boolean }>;
  /** Hands a signal on to the server. */
  signal(name: NodeJS.Signals): void;
};

/** How long output may stay open after the server exited, when something it started still holds the pipe. */
const OUTPUT_GRACE_MS = 1000;

/**
 * How long a server may stay once its client is gone and it was asked to end. Clients kill us two seconds after they
 * asked; by then it has to be gone, with time left to write down how it ended.
 */
export const INSIST_AFTER_MS = 1500;

/** Stands between the client and a running server until the server ends. */
export function startStdioProxy(options: StdioProxyOptions): StdioProxy {
  const { stdin, stdout, decider, plan, server } = options;
  const { stdin: serverInput, stdout: serverOutput } = server.child;
  if (serverInput === null || serverOutput === null) throw new Error('the server was started without pipes');

  const session = startSession({ ...(options.label === undefined ? {} : { label: options.label }), target: options.target });
  let oversized: Frame | undefined;
  let isOversizedPassed = false;
  let isFailed = false;
  let isSignalled = false;
  let isAskedToEnd = false;
  let hasClientEnded = false;
  /** The server was told so: a server that does not listen is told late. */
  let isInputOver = false;

  const onProblem = (error: unknown): void => {
    options.onProblem(error);
    if (options.isStrict !== true || isFailed) return;
    isFailed = true;
    for (const lane of Object.values(lanes)) lane.close();
    serverInput.end();
    server.terminate(options.clock, TERMINATE_GRACE_MS);
  };
  const clock = ownTimers(options.clock, onProblem);

  const lanes: { readonly [Way in Direction]: Lane } = {
    'to-server': createLane({
      source: stdin,
      destination: serverInput,
      flush: () => framers['to-server'].flush(),
      finish: () => void serverInput.end(),
    }),
    'to-client': createLane({ source: serverOutput, destination: stdout, flush: () => framers['to-client'].flush(), finish: () => {} }),
  };
  const lateEnd = createLateEnd(clock);
  const sieves: { readonly [Way in Direction]: BatchSieve } = { 'to-server': createBatchSieve(), 'to-client': createBatchSieve() };
  const ends = createStdioEnds({
    lanes,
    sieves,
    server,
    lateEnd,
    clock,
    passOversized: (frame) => {
      const isAllowed = frame === oversized && !isOversizedPassed;
      if (isAllowed) isOversizedPassed = true;
      return isAllowed;
    },
  });
  const performer = createPerformer({
    decider,
    clock,
    ends,
    journal: options.journal,
    startedAtMs: options.startedAtMs,
    operationKey: options.operationKey,
    nameSession: options.label === undefined ? createSessionNames() : undefined,
    onProblem,
  });

  const decide = (frame: Frame): readonly Effect[] | undefined => {
    const { kind } = frameHead(frame);
    if (kind === 'request' || kind === 'notification') return performer.request(session, frame).effects;
    const exchange = kind === 'response' ? exchangeOf(session, frame) : undefined;
    return exchange === undefined ? undefined : performer.answer(exchange, frame).effects;
  };

  /** Rules meet the elements of a batch one by one; what is left of it stays one line. */
  const judgeBatch = (batch: Batch): LineVerdict => {
    const { direction } = batch.frame;
    const places = sieves[direction].sift(batch, (element) => judge(element) === 'pass');
    if (isUntouchedBatch(batch, places)) return 'pass';
    const rest = rebuildBatch(batch, places);
    if (rest !== undefined) lanes[direction].say(frameBytes(rest), rest);
    return 'taken';
  };

  const judgeLine = (frame: Frame): LineVerdict => {
    const batch = frameHead(frame).kind === 'other' ? batchOf(frame) : undefined;
    return batch === undefined ? judge(frame) : judgeBatch(batch);
  };

  const judge = (frame: Frame): LineVerdict => {
    try {
      const effects = decide(frame);
      if (effects === undefined) return 'pass';
      expectLater(lanes, effects);
      return 'taken';
    } catch (error) {
      onProblem(error);
      return 'pass';
    }
  };

  const frameLines = (way: Direction, wants: () => boolean): LineFramer =>
    createLineFramer(
      {
        wants,
        line: (bytes) => judgeLine(frameFromBytes(way, bytes)),
        oversized: (prefix) => {
          oversized = frameFromBytes(way, prefix, true);
          isOversizedPassed = false;
          const verdict = judge(oversized);
          oversized = undefined;
          return isOversizedPassed ? 'pass' : verdict;
        },
        pass: (bytes, isLineEnd) => lanes[way].pass(bytes, isLineEnd),
      },
      options.maxFrameBytes ?? MAX_FRAME_BYTES,
    );
  const isServerWatched = options.mayChange === true || watchesServer(plan);
  const framers: { readonly [Way in Direction]: LineFramer } = {
    'to-server': frameLines('to-server', () => decider.isActive),
    // Where no rule listens to the server's own requests, only answers that somebody waits for are worth a look.
    'to-client': frameLines('to-client', () => isServerWatched || session.waiting['to-server'].size > 0),
  };

  const relay = (way: Direction, source: Readable): Promise<void> =>
    new Promise((resolve) => {
      source.on('data', (chunk: Uint8Array) => framers[way].push(chunk));
      source.on('end', () => {
        framers[way].end();
        resolve();
      });
      source.on('error', () => {});
      source.on('close', resolve);
    });

  /** Either alone is a client that may yet wait, or a server that may yet finish. */
  const insistIfDue = (): void => {
    if (isAskedToEnd && isInputOver) server.insist(options.clock, INSIST_AFTER_MS);
  };

  void relay('to-server', stdin).then(() => {
    hasClientEnded = true;
    lateEnd.onInputEnd(() => {
      isInputOver = true;
      lanes['to-server'].end();
      insistIfDue();
    });
  });
  const outputEnded = relay('to-client', serverOutput);

  const handOn = (name: NodeJS.Signals): void => {
    isSignalled = true;
    server.signal(name);
    // The server may be gone while we still wait to say something for it.
    if (server.child.exitCode !== null || server.child.signalCode !== null) lanes['to-client'].close();
  };

  const finish = async (): Promise<ProcessEnd & { readonly isFailed: boolean }> => {
    const end = await server.exited;
    const settled = server.settle(options.clock, INSIST_AFTER_MS);
    await outputOver(outputEnded, serverOutput, options.clock);
    lanes['to-server'].close();
    lanes['to-client'].end();
    // A client that closed its side in good order still gets answers that are on their way; after a crash nothing follows.
    if (!hasClientEnded || isSignalled) lanes['to-client'].close();
    await lanes['to-client'].ended;
    performer.close(session);
    clock.cancelAll();
    stdin.destroy();
    if (!isSignalled) await written(stdout);
    await settled;
    return { ...end, isFailed };
  };

  return {
    performer,
    finished: finish(),
    signal(name) {
      if (name !== 'SIGTERM') return handOn(name);
      lateEnd.onSigterm(() => {
        handOn(name);
        if (isAskedToEnd) return;
        isAskedToEnd = true;
        server.followUs(options.clock);
        insistIfDue();
      });
    },
  };
}

/** Do rules need to see what the server sends of its own accord? Wide shapes advance on every message. */
function watchesServer(plan: Plan): boolean {
  return plan.rules.some(({ isEnabled, when, shape, fault }) => {
    const isWide = (shape.kind === 'burst' || shape.kind === 'episode') && (shape.scope === 'plan' || shape.scope === 'session');
    return isEnabled && ((when.direction ?? fault.direction) !== 'to-server' || isWide);
  });
}

/** The end of a pipe waits for what is still to be said on it. */
function expectLater(lanes: { readonly [Way in Direction]: Lane }, effects: readonly Effect[]): void {
  for (const effect of effects) {
    if ((effect.kind === 'forward' || effect.kind === 'pace') && effect.afterMs > 0) lanes[effect.frame.direction].expect(effect.frame);
    if (effect.kind === 'answer' && effect.afterMs > 0 && effect.message !== undefined) lanes['to-client'].expect(effect.message);
  }
}

/** Resolves at the end of the server's output, or when it stays silent although the server is gone. */
async function outputOver(ended: Promise<void>, output: Readable, clock: Clock): Promise<void> {
  let cancel = (): void => {};
  const silence = new Promise<void>((resolve) => {
    const wait = (): void => {
      cancel();
      cancel = clock.schedule(OUTPUT_GRACE_MS, () => (output.isPaused() ? wait() : resolve()));
    };
    output.on('data', wait);
    wait();
  });
  await Promise.race([ended, silence]);
  cancel();
  output.destroy();
}

/** Resolves when the reader took everything, or went away. */
function written(stdout: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stdout.destroyed || stdout.writableLength === 0) return resolve();
    stdout.once('close', resolve);
    stdout.once('error', () => resolve());
    stdout.write('', () => resolve());
  });
}
