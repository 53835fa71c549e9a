/**
 * Handlers of undici's dispatchers, old and new: whoever sends a request hears of its response through one. Structural
 * types only, because undici comes with Node and with every client in another version.
 */

/** What both generations of handlers may have. */
export type UndiciHandler = {
  onRequestStart?(controller: UndiciController, context: unknown): void;
  onResponseStart?(controller: UndiciController, status: number, headers: UndiciHeaderRecord, statusText?: string): void;
  onResponseData?(controller: UndiciController, chunk: Uint8Array): void;
  onResponseEnd?(controller: UndiciController, trailers: UndiciHeaderRecord): void;
  onResponseError?(controller: UndiciController, error: Error): void;
  onConnect?(abort: (reason?: Error) => void, context?: unknown): void;
  onHeaders?(status: number, headers: readonly Uint8Array[], resume: () => void, statusText: string): boolean | undefined;
  onData?(chunk: Uint8Array): boolean | undefined;
  onComplete?(trailers: readonly string[] | null): void;
  onError?(error: Error): void;
};

/** Header names in lower case. */
export type UndiciHeaderRecord = { [name: string]: string | string[] | undefined };

/** What a new handler steers its request with. */
export type UndiciController = {
  aborted: boolean;
  paused: boolean;
  reason: Error | null;
  rawHeaders?: unknown;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
};

type BufferMaker = {
  from(text: string, encoding: 'latin1'): Uint8Array;
  from(bytes: ArrayBufferLike, at: number, length: number): Uint8Array;
};

/** Handlers call methods that only a Buffer has; where there is undici there is Node. */
const buffers = (): BufferMaker => (globalThis as unknown as { Buffer: BufferMaker }).Buffer;

/** Tells a handler what became of its request, as a dispatcher would. */
export async function tellHandler(
  handler: UndiciHandler,
  context: { readonly abort: AbortController; response(): Promise<Response> },
): Promise<void> {
  let wake: (() => void) | undefined;
  const controller: UndiciController = {
    aborted: false,
    paused: false,
    reason: null,
    abort(reason) {
      if (controller.aborted) return;
      controller.aborted = true;
      controller.reason = reason;
      context.abort.abort(reason);
      wake?.();
    },
    pause: () => void (controller.paused = true),
    resume() {
      controller.paused = false;
      wake?.();
    },
  };
  const isNew = handler.onRequestStart !== undefined;
  try {
    if (isNew) handler.onRequestStart!(controller, {});
    else handler.onConnect?.((reason) => controller.abort(reason ?? abortError()), {});
    const response = await context.response();
    // The fetch of Node 26 reads these, and not the record.
    if (isNew) controller.rawHeaders = rawHeaders(response.headers);
    if (isNew) handler.onResponseStart?.(controller, response.status, recordOf(response.headers), response.statusText);
    else if (handler.onHeaders?.(response.status, rawHeaders(response.headers), controller.resume, response.statusText) === false)
      controller.pause();
    const reader = response.body?.getReader();
    for (;;) {
      if (controller.paused && !controller.aborted) await new Promise<void>((resolve) => (wake = resolve));
      if (controller.aborted) throw controller.reason ?? abortError();
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      const chunk = buffers().from(value.buffer, value.byteOffset, value.byteLength);
      if (isNew) handler.onResponseData?.(controller, chunk);
      else if (handler.onData?.(chunk) === false) controller.pause();
    }
    if (isNew) handler.onResponseEnd?.(controller, {});
    else handler.onComplete?.([]);
  } catch (error) {
    const cause = causeOf(error);
    if (isNew) handler.onResponseError?.(controller, cause);
    else handler.onError?.(cause);
  }
}

/** Sends a request with a dispatcher and gives what a fetch would. `abort` of the signal ends it. */
export function responseOf(dispatch: (handler: UndiciHandler) => void, signal: AbortSignal | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    let abort: (reason: Error) => void = () => {};
    let resume: () => void = () => {};
    let isPaused = false;
    const onAbort = (): void => abort(causeOf(signal?.reason));
    const done = (): void => signal?.removeEventListener('abort', onAbort);
    const start = (given: (reason: Error) => void): void => {
      abort = given;
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
    };
    const head = (status: number, headers: Headers, statusText: string): void => {
      // Interim responses are not the response.
      if (status < 200) return;
      const isEmpty = status === 204 || status === 205 || status === 304;
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void (body = controller),
        // A stream also asks while it is given something, and then there is nothing to resume.
        pull() {
          if (!isPaused) return;
          isPaused = false;
          resume();
        },
        cancel: (reason) => abort(causeOf(reason)),
      });
      resolve(new Response(isEmpty ? null : stream, { status, statusText, headers }));
    };
    const data = (chunk: Uint8Array): boolean => {
      // A parser that is resumed before there is more says so with nothing. Who pauses it for that asks it again for ever.
      if (chunk.length === 0) return true;
      // A copy: undici reads the next chunk into the same memory.
      body?.enqueue(chunk.slice());
      isPaused = (body?.desiredSize ?? 1) <= 0;
      return !isPaused;
    };
    const end = (): void => {
      done();
      attemptClose(() => body?.close());
    };
    const fail = (error: Error): void => {
      done();
      reject(new TypeError('fetch failed', { cause: error }));
      attemptClose(() => body?.error(new TypeError('terminated', { cause: error })));
    };
    dispatch({
      onRequestStart(controller) {
        resume = () => controller.resume();
        start((reason) => controller.abort(reason));
      },
      onResponseStart: (_controller, status, headers, statusText = '') => head(status, headersOfRecord(headers), statusText),
      onResponseData(controller, chunk) {
        if (!data(chunk)) controller.pause();
      },
      onResponseEnd: end,
      onResponseError: (_controller, error) => fail(error),
      onConnect: start,
      onHeaders(status, headers, resumeNow, statusText) {
        resume = resumeNow;
        head(status, headersOfRaw(headers), statusText);
        return true;
      },
      onData: data,
      onComplete: end,
      onError: fail,
    });
  });
}

/** A stream that its reader gave up is closed already. */
function attemptClose(close: () => void): void {
  try {
    close();
  } catch {
    // Nobody reads it any more.
  }
}

/** What fetch wraps, undici itself says as it is. */
function causeOf(error: unknown): Error {
  if (error instanceof TypeError && error.cause instanceof Error) return error.cause;
  return error instanceof Error ? error : abortError();
}

const abortError = (): Error => new DOMException('This operation was aborted', 'AbortError');

function recordOf(headers: Headers): UndiciHeaderRecord {
  const record: UndiciHeaderRecord = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  return cookies.length > 1 ? { ...record, 'set-cookie': cookies } : record;
}

function rawHeaders(headers: Headers): readonly Uint8Array[] {
  return [...headers].flatMap(([name, value]) => [buffers().from(name, 'latin1'), buffers().from(value, 'latin1')]);
}

function headersOfRecord(record: UndiciHeaderRecord): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(record)) for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
  return headers;
}

function headersOfRaw(raw: readonly Uint8Array[]): Headers {
  const text = new TextDecoder('latin1');
  const headers = new Headers();
  for (let index = 0; index + 1 < raw.length; index += 2) headers.append(text.decode(raw[index]), text.decode(raw[index + 1]));
  return headers;
}
