/** Listens to the live events of a running proxy. */
import { askAdmin, type AdminCall } from './call-admin.js';

/** One event: a journal entry by its kind, or `dropped` where we were too slow. */
export type LiveEvent = { readonly name: string; readonly data: string };

/** A line longer than this is no event of ours. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Events as they come, until the proxy ends. Throws what the signal throws when it aborts. */
export async function* followEvents(call: Omit<AdminCall, 'route' | 'body'>): AsyncGenerator<LiveEvent> {
  const { body } = await askAdmin({ ...call, route: 'GET /chaos/events' });
  const decoder = new TextDecoder();
  let rest = '';
  // A response with status 200 has a body.
  for await (const bytes of body as AsyncIterable<Uint8Array>) {
    const parts = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n\n');
    rest = parts.pop() ?? '';
    if (rest.length > MAX_CHARACTERS) rest = '';
    for (const part of parts) {
      const [, name, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(part) ?? [];
      if (name !== undefined && data !== undefined) yield { name, data };
    }
  }
}
