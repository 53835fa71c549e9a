import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { withResult } from '../core/message.js';
import { editableTools } from '../core/tool-list.js';

/** A server that came up before its tools did. An agent without tools may invent what they would have said. */
export const listEmpty = defineFault({
  type: 'list-empty',
  summary: 'Lists no tools at all; calling them still works.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list'],
  hasFixedMethods: true,
  phases: ['post'],
  params: {},
  decide: (event, _params, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const page = editableTools(event.frame);
    if (typeof page === 'string') return context.notDelivered(page);
    const { nextCursor, ...rest } = page.result;
    if (page.tools.length === 0 && nextCursor === undefined) return context.notDelivered('the list is empty already');
    context.changed('/tools', page.tools, []);
    if (nextCursor !== undefined) context.changed('/nextCursor', nextCursor, undefined);
    return [forward(editFrame(event.frame, withResult(page.message, { ...rest, tools: [] })))];
  },
});
