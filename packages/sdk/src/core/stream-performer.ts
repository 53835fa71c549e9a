/**
 * Carries out what rules decide about byte streams. Other than messages, bytes may never overtake each other and none may be
 * missing in between, just as TCP promises: each way of a stream is a lane, where what is put off or held keeps back what
 * comes behind it, and what is paced keeps the lane busy. Only a broken connection loses bytes.
 */
import { createByteLane, type ByteLane, type Travel } from './byte-lane.js';
import type { Clock } from './clock.js';
import { PASS, type Decider, type Decision } from './decide.js';
import type { Effect } from './effect.js';
import { assertNever } from './errors.js';
import { frameFromBytes, type Frame } from './frame.js';
import { createLasting } from './lasting.js';
import type { JournalSink } from './journal.js';
import type { Direction } from './message.js';
import type { Ends, Refusal } from './perform.js';
import { createSettlement, refOf } from './settlement.js';
import type { Exchange } from './session.js';
import { openStream } from './streams.js';

/** What a transport of bytes can do. Each returns why not, when it could not. */
export type StreamEnds = Pick<Ends, 'disconnect' | 'release'> & {
  /** Sends bytes on in their direction. */
  send(bytes: Uint8Array, direction: Direction, stream: Exchange): void;
  /** The sender of this direction is done, and all of its bytes are out. */
  finish(direction: Direction, stream: Exchange): void;
  /** So many bytes of this direction wait in the lane now: the sender is to be slowed down when they are many. */
  waiting(bytes: number, direction: Direction, stream: Exchange): void;
};

/** What the performer works with. */
export type StreamPerformerOptions = {
  readonly decider: Decider;
  readonly clock: Clock;
  readonly ends: StreamEnds;
  readonly journal?: JournalSink | undefined;
  readonly startedAtMs: number;
  readonly target?: string | undefined;
  /** Our own mistakes: a fault that throws. The bytes go on untouched unless this throws. */
  readonly onProblem: (error: unknown) => void;
};

/** See the module comment. */
export type StreamPerformer = {
  /** A client connected. Rules for new connections act at once, the others are drawn for. */
  open(): Exchange;
  bytes(stream: Exchange, direction: Direction, bytes: Uint8Array): void;
  /** The sender of this direction is done; told to the other side behind its last bytes. */
  end(stream: Exchange, direction: Direction): void;
  /** The stream is no more: what waits is dropped, and what never came is recorded. */
  close(stream: Exchange): void;
  /** Sends on everything held, paced or delayed, now; connections that were about to break live on. */
  release(): void;
  /** These rules are gone: bytes that one of them holds go on, and connections are taken again. */
  endRules(ruleIds: readonly string[]): void;
  /** Deliveries per rule so far. */
  readonly fired: ReadonlyMap<string, number>;
  /** Always 0: nobody can tell calls apart in a stream of bytes. */
  readonly calls: number;
};

type Lanes = { readonly [Way in Direction]: ByteLane };

/** Builds a performer. */
export function createStreamPerformer(options: StreamPerformerOptions): StreamPerformer {
  const { decider, clock, ends, target } = options;
  const settlement = createSettlement({ ...options, journal: options.journal, onReported: () => {} });
  const streams = new Map<Exchange, Lanes>();
  const lasting = createLasting();
  let opened = 0;

  const guarded = (decide: () => Decision): Decision => {
    try {
      return decide();
    } catch (error) {
      options.onProblem(error);
      return PASS;
    }
  };

  /** `direction` is undefined for a connection that is only being made. */
  const perform = (effect: Effect, stream: Exchange, direction: Direction | undefined, rules: readonly string[]): Refusal => {
    switch (effect.kind) {
      case 'forward':
        return put(stream, effect.frame, { afterMs: effect.afterMs });
      case 'pace':
        return put(stream, effect.frame, effect);
      case 'hold':
        return put(stream, effect.frame, { afterMs: typeof effect.until === 'object' ? effect.until.ms : Infinity, heldBy: rules });
      case 'disconnect': {
        const act = (): Refusal => ends.disconnect(effect.how, effect.forMs, stream, stream.session);
        if (direction === undefined) return act();
        streams.get(stream)?.[direction].cut(effect.afterMs ?? 0, act);
        return undefined;
      }
      case 'answer':
      case 'emit':
        return 'a byte stream carries no messages';
      case 'signal-server':
        return 'the server is out of reach';
      default:
        return assertNever(effect);
    }
  };

  const put = (stream: Exchange, { bytes, direction }: Frame, how: Travel): Refusal => {
    if (bytes === undefined) return 'a byte stream carries no messages';
    streams.get(stream)?.[direction].put(bytes, how);
    return undefined;
  };

  /** True when the event is settled: nothing is left to send on. */
  const carryOut = (decision: Decision, stream: Exchange, direction: Direction | undefined, method = stream.method): boolean => {
    const { effects, owners, by, suppressed, problems } = decision;
    // Untouched bytes end here.
    if (effects === undefined && suppressed.length === 0 && problems.length === 0) return false;
    const about = { ...refOf(stream), method };
    for (const problem of problems) options.onProblem(problem);
    for (const engagement of suppressed) settlement.settle(engagement, about, [], undefined);
    if (effects === undefined) return false;
    const rulesOf = (index: number): readonly string[] => (owners[index] ?? []).map(({ rule }) => rule.id);
    const refusals = effects.map((effect, index) => perform(effect, stream, direction, rulesOf(index)));
    for (const engagement of by) {
      const own = effects.flatMap((effect, index) =>
        owners[index]?.includes(engagement) === true ? [{ effect, why: refusals[index] }] : [],
      );
      const done = own.filter(({ why }) => why === undefined).map(({ effect }) => effect);
      lasting.note(engagement.rule.id, done, clock.nowMs());
      // Written once per stream: the first bytes that a rule touched speak for the rest.
      settlement.settle(engagement, about, done, done.length > 0 ? undefined : (own.at(-1)?.why ?? 'another fault took its place'));
    }
    return refusals.includes(undefined);
  };

  const startLane = (stream: Exchange, direction: Direction): ByteLane =>
    createByteLane({
      clock,
      send: (bytes) => ends.send(bytes, direction, stream),
      finish: () => ends.finish(direction, stream),
      waiting: (bytes) => ends.waiting(bytes, direction, stream),
    });

  return {
    open() {
      const nowMs = clock.nowMs();
      const stream = openStream({ ordinal: ++opened, target, nowMs });
      streams.set(stream, { 'to-server': startLane(stream, 'to-server'), 'to-client': startLane(stream, 'to-client') });
      const connected = guarded(() => decider.connect(stream.session, nowMs));
      if (!carryOut(connected, stream, undefined, 'connect')) {
        const opening = guarded(() => decider.open(stream, nowMs));
        carryOut(opening, stream, undefined);
      }
      return stream;
    },
    bytes(stream, direction, bytes) {
      const lane = streams.get(stream)?.[direction];
      if (lane === undefined) return;
      if (decider.isActive) {
        const decision = guarded(() => decider.bytes(stream, frameFromBytes(direction, bytes), clock.nowMs()));
        if (carryOut(decision, stream, direction)) return;
      }
      lane.put(bytes, { afterMs: 0 });
    },
    end: (stream, direction) => streams.get(stream)?.[direction].end(),
    close(stream) {
      const lanes = streams.get(stream);
      if (lanes === undefined) return;
      streams.delete(stream);
      lanes['to-server'].close();
      lanes['to-client'].close();
      settlement.settleRest(stream, 'it was closed before it could act');
    },
    release() {
      lasting.endAll();
      ends.release?.();
      for (const lanes of streams.values()) {
        lanes['to-server'].release();
        lanes['to-client'].release();
      }
    },
    endRules(ruleIds) {
      if (lasting.endWith(ruleIds, clock.nowMs())) ends.release?.();
      for (const lanes of streams.values()) {
        lanes['to-server'].endRules(ruleIds);
        lanes['to-client'].endRules(ruleIds);
      }
    },
    fired: settlement.fired,
    calls: 0,
  };
}
