/** Listens to the live events of a running proxy. */
import { askAdmin, type AdminCall } from './call-admin.js';

/** One event: a journal entry by its kind, or `dropped` where we were too slow. */
export type LiveEvent = { readonly name: string; readonly data: string };

/** A line longer than this is no event of ours. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Events as they come, until the proxy ends. Throws what the signal throws when it aborts. */
export async function* followEvents(call: Omit<AdminCall, 'route' | 'body'>): AsyncGenerator<LiveEvent> {
  const { body } = await askAdmin({ ...call, route: 'GET /chaos/events' });
  let rest = '';
  for await (const piece of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    const parts = `${rest}${piece}`.split('\n\n');
    rest = parts.pop() ?? '';
    if (rest.length > MAX_CHARACTERS) rest = '';
    for (const part of parts) {
      const [, name, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(part) ?? [];
      if (name !== undefined && data !== undefined) yield { name, data };
    }
  }
}
