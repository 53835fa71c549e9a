import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { isObject, rpcError, withResult } from '../core/message.js';
import { editableResult } from '../core/tool-result.js';

/** A tool that was removed, or a server that came up without it. A client with an old list calls it all the same. */
export const dropTool = defineFault({
  type: 'drop-tool',
  summary: 'Makes tools disappear: they are not listed, and calling them fails.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['tools/list', 'tools/call'],
  hasFixedMethods: true,
  params: {},
  decide: (event, _params, context) => {
    if (event.kind !== 'frame') return [];
    const { method, tool, id } = event.exchange;
    if (event.part === 'request') {
      return method === 'tools/call' && tool !== undefined && id !== undefined
        ? [answer(rpcError(id, -32602, `Unknown tool: ${tool}`))]
        : [];
    }
    if (method !== 'tools/list') return [];
    const list = editableResult(event.frame);
    if (typeof list === 'string') return context.notDelivered(list);
    const tools = list.result['tools'];
    if (!Array.isArray(tools)) return context.notDelivered('the result lists no tools');
    const kept = tools.filter((one: unknown) => !isObject(one) || typeof one['name'] !== 'string' || !context.selectsTool(one['name']));
    if (kept.length === tools.length) return context.notDelivered('none of the tools is listed');
    return [forward(editFrame(event.frame, withResult(list.message, { ...list.result, tools: kept })))];
  },
});
