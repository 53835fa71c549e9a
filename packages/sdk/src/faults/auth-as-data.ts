import { noteDifferences } from '../core/changed-answer.js';
import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { resultOf, toolErrorResult, wordsResult } from '../core/message.js';
import { flag, text } from '../core/params.js';
import { editableResult } from '../core/tool-result.js';

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
    const isModern = session.era === 'modern';
    const message = isError ? toolErrorResult(id, words, isModern) : { jsonrpc: '2.0', id, result: wordsResult(words, isModern) };
    if (event.part === 'request') {
      context.changed('/content/0/text', undefined, words);
      return [answer(message)];
    }
    const told = editableResult(event.frame);
    if (typeof told === 'string') return context.notDelivered(told);
    noteDifferences(told.result, resultOf(message) ?? {}, context.changed);
    return [forward(editFrame(event.frame, message))];
  },
});
