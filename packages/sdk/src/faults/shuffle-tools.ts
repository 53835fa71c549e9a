import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editableTools, nameOfTool, withTools } from '../core/tool-list.js';

/** Prompt caches, and agents that take the first tool that fits, depend on an order that nobody promises. */
export const shuffleTools = defineFault({
  type: 'shuffle-tools',
  summary: 'Lists the tools in another order each time.',
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
    const { tools } = page;
    if (tools.length < 2) return context.notDelivered('there is only one order');
    const shuffled = [...tools];
    for (let left = shuffled.length; left > 1; left--) {
      const at = Math.floor(context.draw() * left);
      [shuffled[at], shuffled[left - 1]] = [shuffled[left - 1], shuffled[at]];
    }
    // The draw may give the old order, which would be no fault at all.
    if (shuffled.every((tool, index) => tool === tools[index])) shuffled.push(shuffled.shift());
    for (const [index, tool] of tools.entries()) {
      if (shuffled[index] !== tool) context.changed(`/tools/${index}/name`, nameOfTool(tool), nameOfTool(shuffled[index]));
    }
    return [forward(withTools(event.frame, page, shuffled))];
  },
});
