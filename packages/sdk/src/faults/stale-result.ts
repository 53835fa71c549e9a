import { canonicalJson } from '../core/call-key.js';
import { changeResult } from '../core/changed-answer.js';
import { defineFault } from '../core/fault.js';
import { frameBytes, type Frame } from '../core/frame.js';
import type { JsonObject } from '../core/message.js';
import { editableResult } from '../core/tool-result.js';

/** Results over this size are not remembered: there may be thousands of sessions and tools. */
const MAX_REMEMBERED_BYTES = 64 * 1024;

type Last = { result: JsonObject | undefined };

function remember(last: Last, frame: Frame, result: JsonObject): void {
  if (frameBytes(frame).length <= MAX_REMEMBERED_BYTES) last.result = result;
}

/** A cache that is not invalidated: the last clean answer of the same tool in the same session comes back. */
export const staleResult = defineFault({
  type: 'stale-result',
  summary: 'Answers with an earlier result of the same tool.',
  carriers: ['mcp', 'command'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {},
  memory: (): Last => ({ result: undefined }),
  observe: (event, _params, { memory }) => {
    if (event.kind !== 'frame') return;
    const clean = editableResult(event.frame);
    if (typeof clean !== 'string') remember(memory, event.frame, clean.result);
  },
  decide: (event, _params, context) =>
    changeResult(event, context, (fresh) => {
      const { result: stale } = context.memory;
      if (stale === undefined) {
        // This one passes untouched, so it is what a later call may get again.
        if (event.kind === 'frame') remember(context.memory, event.frame, fresh);
        return 'there is no earlier result';
      }
      return canonicalJson(stale) === canonicalJson(fresh) ? 'the earlier result is the same' : stale;
    }),
});
