/** The body of a request as a frame, while the handler behind still finds it unread. */
import { joinBytes } from '../core/event-stream.js';
import { frameFromBytes, frameFromMessage, type Frame } from '../core/frame.js';

/** Can a request with these headers carry a message? What is compressed is nobody's to read but the server's. */
export function mayHoldMessage(method: string, headers: { get(name: string): string | null }): boolean {
  const encoding = headers.get('content-encoding') ?? 'identity';
  return method === 'POST' && encoding === 'identity' && headers.get('content-type')?.includes('json') === true;
}

/** The first bytes of a body, as a frame. */
export function bodyFrame(bytes: Uint8Array, isWhole: boolean): Frame {
  return frameFromBytes('to-server', bytes, !isWhole);
}

/** A body that somebody has parsed already. */
export function parsedFrame(body: unknown): Frame {
  return frameFromMessage('to-server', body);
}

/** Reads a copy of a Request's body: the Request keeps its own. Undefined where somebody else has read it, or it breaks off. */
export async function readRequestBody(request: Request, maxBytes: number): Promise<Frame | undefined> {
  if (request.bodyUsed || request.body === null) return undefined;
  const reader = request.clone().body?.getReader();
  if (reader === undefined) return undefined;
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return bodyFrame(joinBytes(parts), true);
      parts.push(value);
      size += value.length;
      if (size <= maxBytes) continue;
      // Not awaited: one half of a tee is only cancelled together with the other.
      reader.cancel().catch(() => {});
      return bodyFrame(joinBytes(parts), false);
    }
  } catch {
    // The handler finds the same broken body, and that is its own business.
    return undefined;
  }
}
