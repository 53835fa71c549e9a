import { noteDifferences } from '../core/changed-answer.js';
import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameBytes, frameObject, type Frame } from '../core/frame.js';
import { dataResult, isObject, paramsOf, wordsResult, type JsonObject } from '../core/message.js';
import { leastOf } from '../core/output-schema.js';
import { text } from '../core/params.js';
import { editableResult } from '../core/tool-result.js';
import { newIdentifiers, withOtherArguments } from '../core/fabricated-result.js';

/** Results over this size are not imitated: there may be thousands of sessions and tools. */
const MAX_REMEMBERED_BYTES = 64 * 1024;

type Seen = { last: { readonly result: JsonObject; readonly request: Frame } | undefined };

const argumentsOf = (request: Frame): unknown => paramsOf(frameObject(request))['arguments'];

/** A write that went nowhere: a queue that drops, a dry run left on. The caller is told that all is well. */
export const silentNoop = defineFault({
  type: 'silent-noop',
  summary: 'Keeps a call from the server and answers as if it had succeeded.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  hasFixedMethods: true,
  params: {
    text: text({
      default: 'OK',
      about: 'What is said while no answer of the tool was seen that could be imitated, and no schema says more.',
    }),
  },
  learnsTools: true,
  memory: (): Seen => ({ last: undefined }),
  observe: (event, _params, { memory }) => {
    if (event.kind !== 'frame' || frameBytes(event.frame).length + frameBytes(event.exchange.request).length > MAX_REMEMBERED_BYTES) return;
    const clean = editableResult(event.frame);
    if (typeof clean !== 'string') memory.last = { result: clean.result, request: event.exchange.request };
  },
  decide: (event, { text: words }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    const { id, tool, session } = event.exchange;
    const { last } = context.memory;
    let result: JsonObject;
    if (last !== undefined) {
      // The same thing said of other arguments, under identifiers that nobody has seen.
      const echoed = withOtherArguments(last.result, argumentsOf(last.request), argumentsOf(event.frame));
      result = newIdentifiers(echoed, argumentsOf(event.frame), () => context.draw());
    } else {
      const schema = context.knownTool(tool)?.outputSchema;
      const least = schema === undefined ? undefined : leastOf(schema);
      const isModern = session.era === 'modern';
      result = isObject(least) ? dataResult(least, isModern) : wordsResult(words, isModern);
    }
    // There is no clean answer: everything in this one was made up.
    noteDifferences(
      { content: [{ type: 'text' }], ...(isObject(result['structuredContent']) ? { structuredContent: {} } : {}) },
      result,
      context.changed,
    );
    return [answer({ jsonrpc: '2.0', id, result })];
  },
});
