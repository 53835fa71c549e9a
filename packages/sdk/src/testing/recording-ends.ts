import type { Clock } from '../core/clock.js';
import type { HttpReply, ServerSignal } from '../core/effect.js';
import { frameBytes, frameMessage } from '../core/frame.js';
import type { Direction, MessageId } from '../core/message.js';
import type { Ends } from '../core/perform.js';

/** Something that a transport was asked to do. */
export type Recorded = {
  readonly atMs: number;
  readonly what: 'message' | 'slice' | 'reply' | 'emit' | 'heartbeat' | 'disconnect' | ServerSignal;
  readonly to?: Direction;
  readonly message?: unknown;
  readonly bytes?: Uint8Array;
  readonly http?: HttpReply | undefined;
  readonly how?: string;
  readonly forMs?: number;
  /** Bytes that the server was to log. */
  readonly amount?: number;
  /** The id of the exchange that it was part of. */
  readonly part?: MessageId | undefined;
};

/** Ends that write down what they are asked to do. */
export type RecordingEnds = Ends & {
  readonly log: readonly Recorded[];
  /** The messages that one side got so far, in order. */
  messages(to: Direction): readonly unknown[];
};

/** Records everything. `refuse` says why something cannot be done, by the word of the log. */
export function recordingEnds(clock: Clock, refuse: (what: Recorded['what']) => string | undefined = () => undefined): RecordingEnds {
  const log: Recorded[] = [];
  const record = (entry: Omit<Recorded, 'atMs'>): string | undefined => {
    const why = refuse(entry.what);
    if (why === undefined) log.push({ atMs: clock.nowMs(), ...entry });
    return why;
  };
  return {
    log,
    messages: (to) => log.filter((entry) => entry.to === to && entry.what !== 'slice').map(({ message }) => message),
    send: (frame, exchange) =>
      record({ what: 'message', to: frame.direction, message: frameMessage(frame), bytes: frameBytes(frame), part: exchange?.id }),
    sendSlice: (frame, { bytes }, exchange) => record({ what: 'slice', to: frame.direction, bytes: bytes.slice(), part: exchange?.id }),
    reply: (exchange, message, http) => record({ what: 'reply', to: 'to-client', message, http, part: exchange.id }),
    emit(frame, exchange) {
      if (frame === 'heartbeat') return record({ what: 'heartbeat', part: exchange?.id });
      return record({ what: 'emit', to: frame.direction, message: frameMessage(frame), part: exchange?.id });
    },
    disconnect: (how, forMs, exchange) => record({ what: 'disconnect', how, forMs, part: exchange?.id }),
    signalServer: (signal, forMs, amount) => record({ what: signal, forMs, ...(amount === 0 ? {} : { amount }) }),
  };
}
