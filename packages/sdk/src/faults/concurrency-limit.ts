import { answer, forward, hold, type Effect } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import type { Frame } from '../core/frame.js';
import { rpcError } from '../core/message.js';
import { count, ms, oneOf } from '../core/params.js';
import { isOpenIn, type Exchange } from '../core/session.js';

/** Calls that have a place, and those that wait for one, in the order in which they came. */
type Places = { readonly taken: Set<Exchange>; readonly queue: Map<Exchange, Frame> };

/** More waiting calls than this in one session: the next one is turned away. */
const MAX_QUEUE = 256;

function tidy({ taken, queue }: Places, session: Exchange['session']): void {
  for (const exchange of taken) if (!isOpenIn(exchange, session)) taken.delete(exchange);
  for (const exchange of queue.keys()) {
    // One that has waited too long went on by itself, and has its place now.
    if (!isOpenIn(exchange, session)) queue.delete(exchange);
    else if (exchange.sends > 0) {
      queue.delete(exchange);
      taken.add(exchange);
    }
  }
}

/** Gives free places to those who have waited longest. */
function admit({ taken, queue }: Places, max: number): readonly Effect[] {
  const admitted: Effect[] = [];
  for (const [exchange, frame] of queue) {
    if (taken.size >= max) break;
    queue.delete(exchange);
    taken.add(exchange);
    admitted.push(forward(frame, 0, exchange));
  }
  return admitted;
}

/** A worker pool that is full. The calls that the rule fires on are counted, so it is meant to fire on all of them. */
export const concurrencyLimit = defineFault({
  type: 'concurrency-limit',
  summary: 'Lets a session have so many calls under way at once; others are turned away or wait.',
  carriers: ['mcp', 'http', 'command'],
  role: 'terminal',
  params: {
    max: count({ default: 1, min: 1, max: 1024, unit: 'calls', about: 'How many calls may be under way at once.' }),
    mode: oneOf(['reject', 'queue'], { default: 'reject', about: 'Whether further calls are turned away, or wait for a place.' }),
    maxWaitMs: ms({ default: 30_000, min: 1, about: 'How long a call waits for a place before it goes on without one.' }),
  },
  memoryScope: 'session',
  memory: (): Places => ({ taken: new Set(), queue: new Map() }),
  decide: (event, { max, mode, maxWaitMs }, context) => {
    if (event.kind === 'connect') return [];
    const { exchange } = event;
    const { memory } = context;
    tidy(memory, exchange.session);
    if (event.kind === 'frame' && event.part === 'request') {
      if (exchange.id === undefined) return context.notDelivered('nobody waits for it');
      if (memory.taken.size < max) {
        memory.taken.add(exchange);
        return [];
      }
      if (mode === 'reject' || memory.queue.size >= MAX_QUEUE) {
        const error = rpcError(exchange.id, -32000, 'Server is busy: too many calls at once.');
        return [answer(error, { status: 503, headers: { 'retry-after': '1' } })];
      }
      if (event.frame.isOpaque) return context.notDelivered('too large');
      memory.queue.set(exchange, event.frame);
      return [hold(event.frame, { ms: maxWaitMs })];
    }
    memory.taken.delete(exchange);
    memory.queue.delete(exchange);
    const admitted = admit(memory, max);
    if (event.kind === 'cancel') return admitted;
    const nothing = context.notDelivered('there was a place for it');
    // Those who are let in waited for it, and their entries say so; this call saw nothing of that.
    return admitted.length > 0 ? [forward(event.frame), ...admitted] : nothing;
  },
});
