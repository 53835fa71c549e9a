import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { without, type JsonObject } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { editableMessage } from '../core/tool-result.js';

const ERROR = { code: -32603, message: 'Internal error' };

/** What becomes of an answer. Its members stay in their order. */
const CHANGES = {
  'no-version': (message: JsonObject): unknown => without(message, 'jsonrpc'),
  both: (message: JsonObject): unknown => ({ ...message, ...('error' in message ? { result: {} } : { error: ERROR }) }),
  neither: (message: JsonObject): unknown => without(message, 'result', 'error'),
  'extra-key': (message: JsonObject): unknown => ({ ...message, took: 12 }),
  batch: (message: JsonObject): unknown => [message],
};

/** What a hand-written server gets wrong. Strict clients drop such an answer and wait on; lenient ones guess. */
export const badEnvelope = defineFault({
  type: 'bad-envelope',
  summary: 'Answers with JSON that is no valid JSON-RPC response.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  params: {
    how: oneOf(['no-version', 'both', 'neither', 'extra-key', 'batch'], {
      default: 'no-version',
      about:
        'What is wrong: no jsonrpc member, a result and an error, neither of them, ' +
        'a member that JSON-RPC does not know, or a list with the answer in it.',
    }),
  },
  decide: (event, { how }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    return [forward(editFrame(event.frame, CHANGES[how](message)))];
  },
});
