/** What fetch and undici have in common: HTTP requests and responses under the rules of a run. */
import type { Attachment } from '../controller/attach.js';
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import type { Decision } from '../core/decide.js';
import { frameFromBytes, frameHead, MAX_FRAME_BYTES, type Frame } from '../core/frame.js';
import type { Plan, Rule } from '../core/plan.js';
import { exchangeOf } from '../core/session.js';
import { createCall, launch, passOn, type Call, type CallWorld } from './fetch-call.js';
import { createFetchEnds } from './fetch-ends.js';
import type { FetchFunction, OutgoingRequest } from './fetch-request.js';
import { createFetchSessions } from './fetch-sessions.js';
import { taskOf } from './request-task.js';

/** What is attached. */
export type AttachFetchOptions = {
  readonly fetch: FetchFunction;
  readonly target?: string | undefined;
  readonly label?: string | undefined;
  readonly maxFrameBytes?: number | undefined;
  readonly restore: Cancel;
};

/** HTTP under the rules of a run. */
export type AttachedFetch = {
  readonly attachment: Attachment;
  readonly maxFrameBytes: number;
  /** Decides about a new connection: the error that it fails with, or undefined when it may be made. */
  refuse(url: string): Error | undefined;
  /** Carries a request out, once its connection was not refused. */
  carry(request: OutgoingRequest): Promise<Response>;
};

/** Attaches a fetch to a run. */
export function attachFetch(run: Run, options: AttachFetchOptions): AttachedFetch {
  const { fetch, target, label, restore, maxFrameBytes = MAX_FRAME_BYTES } = options;
  const ends = createFetchEnds({ clock: run.clock, send: (call, body) => void launch(call, world, body) });
  const attachment = run.attach({ transport: 'fetch', target, label, ends, thaw: ends.thaw, restore });
  const { performer } = attachment;
  const sessions = createFetchSessions(attachment);
  // Nothing is known about a client that only connects, so all connections draw in one scope, as in the HTTP proxy.
  const connections = attachment.begin();
  const looksAtServer = serverWatch(attachment);

  const world: CallWorld = {
    fetch,
    maxFrameBytes,
    thawed: ends.thawed,
    sentOn: ends.sentOn,
    onResponse: (call, response) => sessions.note(call.session, response),
    onDone: ends.finish,
    onGone(call) {
      ends.forget(call);
      const { exchange } = call;
      if (exchange === undefined) return;
      // Its connection is closed with it: what waits could neither be sent nor be heard, and no timer is to wait for that.
      performer.drop(exchange);
      // In the modern era closing the response stream is the cancellation; in the legacy era it is only a broken line.
      if (call.session.era === 'modern') performer.cancel(exchange);
    },
    arrive(call, frame, block) {
      ends.remember(frame, call, block);
      const { kind } = frameHead(frame);
      if (kind === 'response') {
        const exchange = exchangeOf(call.session, frame);
        const isOwn = exchange === undefined || exchange === call.exchange;
        if (isOwn) call.answersSeen++;
        if (isOwn) call.answerBlock = block;
        // A resumed stream carries the answer of a call whose own response is gone.
        else if ((exchange.handle as Call).reply.isDone) exchange.handle = call;
        const isFree = exchange === undefined || performer.answer(exchange, frame).effects === undefined;
        if (isFree && isOwn) call.isAnswered = true;
        return isFree;
      }
      return kind === 'other' || performer.request(call.session, frame, { handle: call }).effects === undefined;
    },
  };

  const decide = (call: Call, frame: Frame): Decision | undefined => {
    const { kind } = frameHead(frame);
    if (kind === 'request' || kind === 'notification') {
      const task = taskOf(call.request.headers, attachment.plan);
      return performer.request(call.session, frame, { handle: call, task });
    }
    const exchange = kind === 'response' ? exchangeOf(call.session, frame) : undefined;
    if (exchange === undefined) return undefined;
    // From here on what we send for this exchange is this fetch's body.
    exchange.handle = call;
    return performer.answer(exchange, frame);
  };

  const carry = async (request: OutgoingRequest): Promise<Response> => {
    const frame = request.body === undefined ? undefined : frameFromBytes('to-server', request.body);
    const session = sessions.find(request.headers, frame);
    const call = createCall(request, session, world);
    ends.begin(call);
    const decision = frame === undefined ? undefined : decide(call, frame);
    call.exchange = decision?.exchange;
    if (decision?.effects === undefined) {
      const isListening = request.method === 'GET' && request.headers.get('accept')?.includes('text/event-stream') === true;
      if (isListening) ends.listen(call);
      if (call.exchange === undefined && !isListening && !(looksAtServer() && frame !== undefined)) {
        const response = await passOn(call, world);
        sessions.note(session, response);
        if (request.method === 'DELETE' && response.ok) sessions.end(session);
        return response;
      }
      void launch(call, world);
    }
    return call.reply.response;
  };

  return {
    attachment,
    maxFrameBytes,
    refuse: (url) => ends.connecting(url, () => performer.connect(connections)),
    carry,
  };
}

/** Does some rule of now need to see what the server says of its own accord? Asked anew only when the rules changed. */
function serverWatch(attachment: Attachment): () => boolean {
  let seen: Plan | undefined;
  let isWatched = false;
  return () => {
    const { plan } = attachment;
    if (plan !== seen) isWatched = plan.rules.some(watchesServer);
    seen = plan;
    return isWatched;
  };
}

/** Does a rule need to see what the server says of its own accord? Wide shapes advance on every message. */
function watchesServer({ isEnabled, when, shape, fault }: Rule): boolean {
  const isWide = (shape.kind === 'burst' || shape.kind === 'episode') && (shape.scope === 'plan' || shape.scope === 'session');
  return isEnabled && ((when.direction ?? fault.direction) !== 'to-server' || isWide);
}
