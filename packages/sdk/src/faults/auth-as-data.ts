import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { isObject, type JsonObject } from '../core/message.js';
import { flag, text } from '../core/params.js';
import { editableResult } from '../core/tool-result.js';

function firstText({ content }: JsonObject): unknown {
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isObject(first) ? first['text'] : undefined;
}

/** An expired token behind the server, told as if it were a result: no status, no challenge, nothing that starts a sign-in. */
export const authAsData = defineFault({
  type: 'auth-as-data',
  summary: 'Tells in a tool result that the token has expired, instead of failing.',
  carriers: ['mcp'],
  role: 'terminal',
  hasFixedMethods: true,
  phases: ['pre', 'post'],
  params: {
    isError: flag({ default: false, about: 'Whether the result admits to be an error.' }),
    text: text({ default: 'Your session has expired. Please sign in again.', about: 'What the result says.' }),
  },
  decide: (event, { isError, text: words }, context) => {
    if (event.kind !== 'frame' || event.exchange.id === undefined) return [];
    if (event.part !== (context.phase === 'pre' ? 'request' : 'answer')) return [];
    const { id, session } = event.exchange;
    const result: JsonObject = { content: [{ type: 'text', text: words }] };
    if (isError) result['isError'] = true;
    if (session.era === 'modern') result['resultType'] = 'complete';
    const message = { jsonrpc: '2.0', id, result };
    if (event.part === 'request') {
      context.changed('/content/0/text', undefined, words);
      return [answer(message)];
    }
    const told = editableResult(event.frame);
    if (typeof told === 'string') return context.notDelivered(told);
    context.changed('/content/0/text', firstText(told.result), words);
    if (told.result['structuredContent'] !== undefined) context.changed('/structuredContent', told.result['structuredContent'], undefined);
    return [forward(editFrame(event.frame, message))];
  },
});
