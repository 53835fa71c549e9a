/** The two ends of a stdio conversation, as the performer sees them. */
import {
  frameBytes,
  frameFromMessage,
  isConnectFailure,
  opposite,
  type BatchSieve,
  type Clock,
  type Direction,
  type Ends,
  type Frame,
  type Refusal,
} from '@toolquake/sdk/core';
import { floodStderr } from './stdio-flood.js';
import type { Lane } from './stdio-lane.js';
import type { LateEnd } from './stdio-late-end.js';
import type { ServerProcess } from './stdio-server.js';

/** How long a server that we take away may tidy up. */
export const TERMINATE_GRACE_MS = 500;

/** What the ends are made from. */
export type StdioEndsOptions = {
  readonly lanes: { readonly [Way in Direction]: Lane };
  /** Takes what is sent while a batch is being decided on. */
  readonly sieves: { readonly [Way in Direction]: BatchSieve };
  readonly server: ServerProcess;
  readonly lateEnd: LateEnd;
  readonly clock: Clock;
  /** The frame over the size limit that is being decided right now: it can be let through, not kept. */
  readonly passOversized: (frame: Frame) => boolean;
};

/** Builds the ends. */
export function createStdioEnds({ lanes, sieves, server, lateEnd, clock, passOversized }: StdioEndsOptions): Ends {
  const gone = (way: Direction): Refusal => {
    if (!lanes[way].isClosed) return undefined;
    return way === 'to-server' ? 'the server is gone' : 'the client is gone';
  };

  const send = (frame: Frame): Refusal => {
    const why = gone(frame.direction);
    if (why !== undefined) return why;
    if (frame.isOpaque) return passOversized(frame) ? undefined : 'too large';
    if (sieves[frame.direction].take(frame)) return undefined;
    lanes[frame.direction].say(frameBytes(frame), frame);
    return undefined;
  };

  /** What we make up because of one side's messages must not pile up when the other side does not read. */
  const sayUnasked = (frame: Frame, token: object): Refusal => {
    const lane = lanes[frame.direction];
    const why = gone(frame.direction);
    if (why !== undefined) return why;
    lane.say(frameBytes(frame), token);
    lanes[opposite(frame.direction)].holdWhileFull(lane);
    return undefined;
  };

  return {
    send,
    sendSlice(frame, { bytes, isLast }) {
      const why = gone(frame.direction);
      if (why !== undefined) return why;
      if (frame.isOpaque) return 'too large';
      lanes[frame.direction].slice(bytes, isLast, frame);
      return undefined;
    },
    reply(exchange, message) {
      // A notification that is taken note of: on a pipe that is silence.
      if (message === undefined) return exchange.id === undefined ? undefined : 'stdio has no way to answer without a message';
      return sayUnasked(frameFromMessage(opposite(exchange.origin), message), message);
    },
    emit(frame) {
      return frame === 'heartbeat' ? 'stdio has no heartbeat' : sayUnasked(frame, frame);
    },
    disconnect(how) {
      if (how === 'refuse') return 'a pipe cannot refuse a connection';
      if (isConnectFailure(how)) return 'a pipe has neither a name to look up nor a certificate';
      const why = gone('to-client');
      if (why !== undefined) return why;
      // What a crashed server looks like: both pipes end, and the process with them.
      lanes['to-client'].close();
      lanes['to-server'].close();
      server.child.stdin?.end();
      if (how === 'reset') server.signal('SIGKILL');
      else server.terminate(clock, TERMINATE_GRACE_MS);
      return undefined;
    },
    signalServer(signal, forMs, bytes) {
      if (signal === 'freeze') return server.freeze(clock, forMs);
      if (server.child.exitCode !== null || server.child.signalCode !== null) return 'the server has exited';
      if (signal === 'flood-stderr') return floodStderr(server, clock, bytes);
      if (signal !== 'crash') {
        lateEnd.ignore(signal, forMs);
        return undefined;
      }
      // How long it stays down is up to the client, which starts it anew.
      server.signal('SIGKILL');
      return undefined;
    },
    release() {
      server.thaw();
      lateEnd.release();
    },
  };
}
