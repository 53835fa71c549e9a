import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import type { JsonObject } from '../core/message.js';
import { count } from '../core/params.js';
import { cursorOf, editableTools, nameOfTool, withTools } from '../core/tool-list.js';

const VERBS = ['get', 'list', 'search', 'create', 'update', 'delete', 'export', 'archive', 'validate', 'sync'] as const;
const NOUNS = ['account', 'invoice', 'order', 'customer', 'product', 'ticket', 'report', 'shipment', 'contract', 'project'] as const;

/** The n-th plausible tool: every verb with every noun, then their next versions. */
function plausibleTool(ordinal: number): JsonObject {
  const verb = VERBS[ordinal % VERBS.length]!;
  const noun = NOUNS[Math.floor(ordinal / VERBS.length) % NOUNS.length]!;
  const version = Math.floor(ordinal / (VERBS.length * NOUNS.length)) + 1;
  return {
    name: `${verb}_${noun}${version === 1 ? '' : `_v${version}`}`,
    description: `${verb[0]!.toUpperCase()}${verb.slice(1)} a ${noun} by its identifier or by filter criteria.`,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', description: `Identifier of the ${noun}.` }, filter: { type: 'object' } },
    },
  };
}

/** Every tool costs tokens and makes the choice harder. The server does not know the ones that are added. */
export const toolBloat = defineFault({
  type: 'tool-bloat',
  summary: 'Adds plausible tools to the list.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list'],
  hasFixedMethods: true,
  phases: ['post'],
  params: { count: count({ default: 100, min: 1, max: 10_000, unit: 'tools', about: 'How many tools are added to the first page.' }) },
  decide: (event, { count: wanted }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    if (cursorOf(event.exchange) !== undefined) return context.notDelivered('the first page has them already');
    const page = editableTools(event.frame);
    if (typeof page === 'string') return context.notDelivered(page);
    const taken = new Set(page.tools.map(nameOfTool));
    const added: JsonObject[] = [];
    for (let ordinal = 0; added.length < wanted; ordinal++) {
      const tool = plausibleTool(ordinal);
      if (taken.has(nameOfTool(tool))) continue;
      context.changed(`/tools/${page.tools.length + added.length}/name`, undefined, tool['name']);
      added.push(tool);
    }
    return [forward(withTools(event.frame, page, [...page.tools, ...added]))];
  },
});
