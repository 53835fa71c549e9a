/**
 * The response that a caller waits for, while its head and body may still change. The head is handed out with the
 * first byte, so that a fault that only knows at the end (a lost answer, another status) still has its say.
 */
import { HEARTBEAT, EVENT_END, eventOpening, eventPayload, encodeEvent } from '../core/event-stream.js';

/** `events`: an event stream. `whole`: one JSON body. */
export type ReplyMode = 'events' | 'whole';

/** See the module comment. Every method is harmless once the reply is done. */
export type Reply = {
  /** What the caller of fetch gets. */
  readonly response: Promise<Response>;
  /** The head was handed out: status and headers are fixed. */
  readonly hasBegun: boolean;
  readonly isDone: boolean;
  readonly mode: ReplyMode | undefined;
  /** Takes over status and headers of the server's response, unless a response was begun without it. */
  adopt(response: Response, mode: ReplyMode): void;
  /** Hands out the head of an event stream now: the server's own, or one that we make. */
  beginEvents(): void;
  /** Hands out a response as it is. */
  respond(response: Response): void;
  /** Bytes of the body as they are. */
  write(bytes: Uint8Array): void;
  /** A message: an event with the other fields of `block`, or the whole body. `isEdited` drops the old length. */
  writeMessage(bytes: Uint8Array, block: Uint8Array | undefined, isEdited: boolean): void;
  writeSlice(
    slice: { readonly bytes: Uint8Array; readonly isFirst: boolean; readonly isLast: boolean },
    block: Uint8Array | undefined,
  ): void;
  heartbeat(): void;
  end(): void;
  /** Ends at once, in the middle of a message too. */
  hangUp(): void;
  /** The connection broke: what came before it can still be read. */
  fail(error: unknown): void;
  /** The caller's own signal: everything ends at once. */
  abort(reason: unknown): void;
  /** Resolves when the caller wants more bytes, or never will. */
  wanted(): Promise<void>;
};

/** Starts a reply. `onGone`: the caller stops reading. `onDone`: nothing more will be said, for whatever reason. */
export function createReply(listen: { onGone: (reason: unknown) => void; onDone: () => void }): Reply {
  let settle!: { resolve: (response: Response) => void; reject: (error: unknown) => void };
  const response = new Promise<Response>((resolve, reject) => {
    settle = { resolve, reject };
  });
  let mode: ReplyMode | undefined;
  let head: Response | undefined;
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isDone = false;
  let wake: (() => void) | undefined;
  // Errors drop what a stream has queued, so a failure waits until that was read.
  let failure: { readonly error: unknown } | undefined;
  // Between the first and the last slice of a message nothing else may be written.
  let afterSlices: (() => void)[] | undefined;

  const finish = (): void => {
    isDone = true;
    wake?.();
    listen.onDone();
  };

  const begin = (change: { isEdited: boolean } = { isEdited: false }): void => {
    if (body !== undefined) return;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (body = controller),
      pull(controller) {
        if (failure !== undefined) controller.error(failure.error);
        wake?.();
      },
      cancel(reason) {
        finish();
        listen.onGone(reason);
      },
    });
    settle.resolve(rebuild(head, mode, stream, change.isEdited));
  };

  const put = (bytes: Uint8Array): void => {
    if (isDone || bytes.length === 0) return;
    begin();
    body!.enqueue(bytes);
  };

  const inTurn = (action: () => void): void => {
    if (afterSlices === undefined) action();
    else afterSlices.push(action);
  };

  const write = (bytes: Uint8Array): void => inTurn(() => put(bytes));

  const end = (): void => {
    if (isDone) return;
    begin();
    body!.close();
    finish();
  };

  return {
    response,
    get hasBegun() {
      return body !== undefined;
    },
    get isDone() {
      return isDone;
    },
    get mode() {
      return mode;
    },
    adopt(from, as) {
      if (body !== undefined || head !== undefined) return;
      head = from;
      mode = as;
    },
    beginEvents() {
      if (isDone || body !== undefined) return;
      if (mode !== 'events') head = undefined;
      mode = 'events';
      begin();
    },
    respond(made) {
      if (isDone || body !== undefined) return;
      settle.resolve(made);
      finish();
    },
    write,
    writeMessage(bytes, block, isEdited) {
      if (isDone) return;
      if (mode === 'events') return write(block !== undefined && !isEdited ? block : encodeEvent(bytes, block));
      mode = 'whole';
      begin({ isEdited });
      write(bytes);
    },
    writeSlice({ bytes, isFirst, isLast }, block) {
      if (isDone) return;
      if (isFirst) afterSlices = [];
      if (mode === 'events') {
        if (isFirst) put(eventOpening(block));
        put(eventPayload(bytes));
        if (isLast) put(EVENT_END);
      } else {
        mode = 'whole';
        begin({ isEdited: true });
        put(bytes);
      }
      if (!isLast) return;
      const waiting = afterSlices ?? [];
      afterSlices = undefined;
      for (const action of waiting) action();
    },
    heartbeat: () => write(HEARTBEAT),
    end: () => inTurn(end),
    hangUp: end,
    fail(error) {
      if (isDone) return;
      if (body === undefined) settle.reject(error);
      else if ((body.desiredSize ?? 0) > 0) body.error(error);
      else failure = { error };
      finish();
    },
    abort(reason) {
      if (isDone) return;
      if (body === undefined) settle.reject(reason);
      else body.error(reason);
      finish();
    },
    wanted() {
      if (isDone || body === undefined || (body.desiredSize ?? 1) > 0) return Promise.resolve();
      return new Promise((resolve) => {
        wake = () => {
          wake = undefined;
          resolve();
        };
      });
    },
  };
}

/** A response like the server's around another body. Its address stays: redirect logic of callers reads it. */
function rebuild(head: Response | undefined, mode: ReplyMode | undefined, body: ReadableStream<Uint8Array>, isEdited: boolean): Response {
  if (head === undefined) {
    const type = mode === 'events' ? 'text/event-stream' : 'application/json';
    return new Response(body, { status: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' } });
  }
  const headers = new Headers(head.headers);
  if (isEdited) headers.delete('content-length');
  const rebuilt = new Response(body, { status: head.status, statusText: head.statusText, headers });
  Object.defineProperty(rebuilt, 'url', { value: head.url });
  Object.defineProperty(rebuilt, 'redirected', { value: head.redirected });
  return rebuilt;
}
