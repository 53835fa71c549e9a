import { forward, hold, type Effect } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import type { Frame } from '../core/frame.js';
import { callsByName } from '../core/message.js';
import { ms } from '../core/params.js';
import { isOpenIn, type Exchange } from '../core/session.js';

/** The call at the head of the line, and those behind it, in the order in which they came. */
type Line = { head: Exchange | undefined; readonly behind: Map<Exchange, Frame> };

/** More calls than this behind one in one session: the next one passes. */
const MAX_BEHIND = 256;

/** Lets everybody go, in their order, who has not gone already. */
function release(line: Line, session: Exchange['session']): readonly Effect[] {
  const released = [...line.behind].filter(([exchange]) => isOpenIn(exchange, session) && exchange.sends === 0);
  line.head = undefined;
  line.behind.clear();
  return released.map(([exchange, frame]) => forward(frame, 0, exchange));
}

/** A server that does one thing at a time: the calls behind a slow one wait until it is answered or given up. */
export const headOfLineBlocking = defineFault({
  type: 'head-of-line-blocking',
  summary: 'Holds one call back, and every later call of the session behind it, in order.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  hasFixedMethods: true,
  params: {
    blockMs: ms({ default: 5000, min: 1, about: 'How long the first call is held; those behind it also wait for its answer.' }),
  },
  memoryScope: 'session',
  memory: (): Line => ({ head: undefined, behind: new Map() }),
  lasts: ({ head }) => head !== undefined,
  decide: (event, { blockMs }, context) => {
    if (event.kind === 'connect') return [];
    const { exchange } = event;
    const { memory } = context;
    const { session } = exchange;
    if (event.kind === 'frame' && event.part === 'request') {
      // While it lasts every request comes by here; pings, notices and lists are no calls.
      if (!callsByName(exchange.method) || exchange.id === undefined) return context.notDelivered('only calls wait');
      if (event.frame.isOpaque) return context.notDelivered('too large');
      if (memory.head === undefined) {
        memory.head = exchange;
        return [hold(event.frame, { ms: blockMs })];
      }
      if (!isOpenIn(memory.head, session)) {
        // It ended without an answer to us, so nobody has let the others go yet.
        const released = release(memory, session);
        const nothing = context.notDelivered('the call before it is over');
        return released.length === 0 ? nothing : [...released, forward(event.frame)];
      }
      if (memory.behind.size >= MAX_BEHIND) return context.notDelivered('too many calls wait already');
      memory.behind.set(exchange, event.frame);
      return [hold(event.frame, 'never')];
    }
    memory.behind.delete(exchange);
    if (exchange !== memory.head) return [];
    const released = release(memory, session);
    if (event.kind === 'cancel') return released;
    return released.length === 0 ? [] : [forward(event.frame), ...released];
  },
});
