import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { editableTools, nameOfTool, withTools } from '../core/tool-list.js';

/**
 * A tool that was removed, or a server that came up without it. A client with an old list calls it all the same. One that
 * is only unlisted is a ghost: whoever remembers it can call it.
 */
export const dropTool = defineFault({
  type: 'drop-tool',
  summary: 'Makes tools disappear: they are not listed, and by default calling them fails.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['tools/list', 'tools/call'],
  hasFixedMethods: true,
  params: {
    from: oneOf(['list-and-calls', 'list'], {
      default: 'list-and-calls',
      about: 'Where they are missing; from the list alone, they can still be called.',
    }),
  },
  decide: (event, { from }, context) => {
    if (event.kind !== 'frame') return [];
    const { method, tool, id } = event.exchange;
    if (event.part === 'request') {
      if (method !== 'tools/call' || tool === undefined || id === undefined) return [];
      if (from === 'list') return context.notDelivered('it can still be called');
      return [answer(rpcError(id, -32602, `Unknown tool: ${tool}`))];
    }
    if (method !== 'tools/list') return [];
    const page = editableTools(event.frame);
    if (typeof page === 'string') return context.notDelivered(page);
    const isDropped = (name: string | undefined): boolean => name !== undefined && context.selectsTool(name);
    const kept = page.tools.filter((one) => !isDropped(nameOfTool(one)));
    if (kept.length === page.tools.length) return context.notDelivered('none of the tools is listed');
    for (const [index, one] of page.tools.entries()) {
      const name = nameOfTool(one);
      if (isDropped(name)) context.changed(`/tools/${index}/name`, name, undefined);
    }
    return [forward(withTools(event.frame, page, kept))];
  },
});
