import { createDecider, type Decision } from '../core/decide.js';
import type { Fault, Phase, TransportName } from '../core/fault.js';
import { frameFromBytes, frameFromMessage, type Frame } from '../core/frame.js';
import type { JournalEntry } from '../core/journal.js';
import type { Direction, MessageId } from '../core/message.js';
import { createPerformer, type Performer } from '../core/perform.js';
import { EMPTY_PLAN, type At, type Shape, type When } from '../core/plan.js';
import { keyedRandom } from '../core/random.js';
import { exchangeOf, startSession, type Era, type Exchange, type Session } from '../core/session.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { recordingEnds, type Recorded, type RecordingEnds } from './recording-ends.js';
import { paramsOf } from './test-context.js';

/** A rule for the rig: the fault's defaults where nothing is given. */
export type RigOptions = {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly when?: When;
  readonly at?: At;
  readonly probability?: number;
  readonly shape?: Shape;
  readonly phase?: Phase;
  readonly era?: Era;
  readonly transport?: TransportName;
  readonly seed?: number;
  readonly refuse?: (what: Recorded['what']) => string | undefined;
};

/** One client and one server with a fault between them, on a clock that the test moves. */
export type TestRig = {
  readonly clock: ManualClock;
  readonly ends: RecordingEnds;
  readonly performer: Performer;
  readonly session: Session;
  readonly journal: readonly JournalEntry[];
  /** The state (and the reason, where there is one) of every firing so far. */
  readonly outcomes: readonly string[];
  /** The client (or, with `to-client`, the server) says something that is no answer. */
  request(message: unknown, options?: { direction?: Direction; session?: Session }): Decision;
  /** The server answers. */
  answer(message: unknown, options?: { direction?: Direction; session?: Session }): Decision | undefined;
  /** The client gives up on a request. */
  cancel(id: MessageId): void;
  connect(): Decision;
};

const frameOf = (direction: Direction, message: unknown): Frame =>
  message instanceof Uint8Array ? frameFromBytes(direction, message) : frameFromMessage(direction, message);

/** Builds a rig: a plan of one rule, the real decider and performer, and ends that write down what they are told. */
export function createTestRig(fault: Fault, options: RigOptions = {}): TestRig {
  const rule = {
    id: 'rule',
    fault,
    params: paramsOf(fault, options.params),
    when: options.when ?? {},
    at: options.at ?? {},
    probability: options.probability ?? 1,
    shape: options.shape ?? ({ kind: 'iid' } as const),
    phase: options.phase ?? fault.phases[0] ?? 'pre',
    isEnabled: true,
  };
  const seed = options.seed ?? 1;
  const plan = { ...EMPTY_PLAN, seed, rules: [rule] };
  const clock = createManualClock();
  const ends = recordingEnds(clock, options.refuse);
  const journal: JournalEntry[] = [];
  const decider = createDecider({
    plan,
    random: keyedRandom(seed),
    transport: options.transport ?? 'simulator',
    startedAtMs: 0,
    observesAll: true,
  });
  const performer = createPerformer({
    decider,
    clock,
    ends,
    journal: (entry) => journal.push(entry),
    startedAtMs: 0,
    onProblem(error) {
      throw error;
    },
  });
  const own = startSession({ label: 'test', era: options.era ?? 'legacy' });

  const relayed = (frame: Frame, decision: Decision, exchange: Exchange | undefined): Decision => {
    if (decision.effects === undefined) ends.send(frame, exchange);
    return decision;
  };
  return {
    clock,
    ends,
    performer,
    session: own,
    journal,
    get outcomes() {
      return journal.flatMap((entry) =>
        entry.kind === 'fault' ? [entry.why === undefined ? entry.state : `${entry.state}: ${entry.why}`] : [],
      );
    },
    request(message, { direction = 'to-server', session = own } = {}) {
      const frame = frameOf(direction, message);
      const decision = performer.request(session, frame);
      return relayed(frame, decision, decision.exchange);
    },
    answer(message, { direction = 'to-client', session = own } = {}) {
      const frame = frameOf(direction, message);
      const exchange = exchangeOf(session, frame);
      if (exchange !== undefined) return relayed(frame, performer.answer(exchange, frame), exchange);
      ends.send(frame, undefined);
      return undefined;
    },
    cancel(id) {
      this.request({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    },
    connect: () => performer.connect(own),
  };
}
