import { noteDifferences } from '../core/changed-answer.js';
import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { dataResult, isObject, resultOf, wordsResult, type JsonObject } from '../core/message.js';
import { oneOf, text } from '../core/params.js';
import { editableMessage } from '../core/tool-result.js';

/** The words of a real failure, when the answer is one. */
function ownWords(message: JsonObject): string | undefined {
  const { error } = message;
  if (isObject(error)) return typeof error['message'] === 'string' ? error['message'] : undefined;
  const result = resultOf(message);
  const blocks: unknown = result?.['isError'] === true ? result['content'] : undefined;
  const first: unknown = Array.isArray(blocks) ? blocks[0] : undefined;
  return isObject(first) && typeof first['text'] === 'string' ? first['text'] : undefined;
}

/** A tool that catches its own exception and returns it: nothing but the words says that the call failed. */
export const errorAsSuccess = defineFault({
  type: 'error-as-success',
  summary: 'Answers with the words of a failure in a result that counts as a success.',
  carriers: ['mcp'],
  role: 'terminal',
  hasFixedMethods: true,
  phases: ['pre', 'post'],
  params: {
    text: text({
      default: 'Error: connection to upstream timed out',
      about: 'What is said in place of the result; a real failure keeps its own words.',
    }),
    as: oneOf(['text', 'json'], { default: 'text', about: 'How it is said: in words, or as an object with an error in it.' }),
  },
  decide: (event, params, context) => {
    if (event.kind !== 'frame' || event.exchange.id === undefined) return [];
    if ((event.part === 'request') !== (context.phase === 'pre')) return [];
    const message = event.part === 'answer' ? editableMessage(event.frame) : {};
    if (typeof message === 'string') return context.notDelivered(message);
    const words = ownWords(message) ?? params.text;
    const isModern = event.exchange.session.era === 'modern';
    const result = params.as === 'text' ? wordsResult(words, isModern) : dataResult({ error: words }, isModern);
    noteDifferences(resultOf(message) ?? {}, result, context.changed);
    const made = { jsonrpc: '2.0', id: event.exchange.id, result };
    return event.part === 'request' ? [answer(made)] : [forward(editFrame(event.frame, made))];
  },
});
