import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError } from '../core/message.js';
import { count, oneOf } from '../core/params.js';

/** HTTP says 429 with `Retry-After`; a pipe can only say it in words. */
export const rateLimit = defineFault({
  type: 'rate-limit',
  summary: 'Turns a request away because there were too many.',
  carriers: ['mcp', 'http', 'command'],
  role: 'terminal',
  params: {
    retryAfterSeconds: count({ default: 30, max: 86_400, unit: 'seconds', about: 'When the caller may come back.' }),
    retryAfterAs: oneOf(['seconds', 'date'], { default: 'seconds', about: 'How the Retry-After header says it; HTTP allows both.' }),
    scope: oneOf(['client', 'tool'], { default: 'client', about: 'Whose limit the message speaks of.' }),
  },
  decide: (event, { retryAfterSeconds, retryAfterAs, scope }) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    const { id, tool } = event.exchange;
    const whose = scope === 'tool' && tool !== undefined ? ` for ${tool}` : '';
    const message = `Rate limit exceeded${whose}. Retry after ${retryAfterSeconds} seconds.`;
    const when =
      retryAfterAs === 'date'
        ? { datesInMs: { 'retry-after': retryAfterSeconds * 1000 } }
        : { headers: { 'retry-after': String(retryAfterSeconds) } };
    return [answer(rpcError(id, -32000, message), { status: 429, ...when })];
  },
});
