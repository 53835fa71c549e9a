import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame, type Frame } from '../core/frame.js';
import { paramsOf } from '../core/message.js';
import { text } from '../core/params.js';
import { editableTools, nameOfTool } from '../core/tool-list.js';
import { editableMessage } from '../core/tool-result.js';

/** Tools of one session that are remembered, and the longest name of one. */
const MAX_NAMES = 256;
const MAX_NAME_LENGTH = 128;

type Known = { readonly names: Set<string> };

function learn({ names }: Known, list: Frame): void {
  const page = editableTools(list);
  if (typeof page === 'string') return;
  for (const tool of page.tools) {
    const name = nameOfTool(tool);
    if (name !== undefined && name.length <= MAX_NAME_LENGTH && names.size < MAX_NAMES) names.add(name);
  }
}

/** A gateway with an old or ambiguous registry. The arguments arrive as they were; the caller cannot see who took them. */
export const misroutedCall = defineFault({
  type: 'misrouted-call',
  summary: 'Lets a call reach another tool than the one that was asked for.',
  carriers: ['mcp'],
  role: 'data',
  // Lists are only read, to know what other tools there are.
  methods: ['tools/call', 'tools/list'],
  hasFixedMethods: true,
  params: { to: text({ default: '', about: 'The tool that gets the call; by default drawn from the others that the server has listed.' }) },
  memoryScope: 'session',
  memory: (): Known => ({ names: new Set() }),
  observe: (event, _params, { memory }) => {
    if (event.kind === 'frame' && event.exchange.method === 'tools/list') learn(memory, event.frame);
  },
  decide: (event, { to }, context) => {
    if (event.kind !== 'frame') return [];
    const { method, tool } = event.exchange;
    if (method === 'tools/list' && event.part === 'answer') {
      learn(context.memory, event.frame);
      return context.notDelivered('lists are only read');
    }
    if (method !== 'tools/call' || event.part !== 'request') return [];
    if (tool === undefined) return context.notDelivered('the call names no tool');
    const others = to === '' ? [...context.memory.names].filter((name) => name !== tool) : [to];
    const other = others[Math.floor(context.draw() * others.length)];
    if (other === undefined) return context.notDelivered('no other tool is known');
    if (other === tool) return context.notDelivered('it is the same tool');
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    const params = paramsOf(message);
    // The only one that is no place in the result: what this call returns was never asked for.
    context.changed('/params/name', tool, other);
    return [forward(editFrame(event.frame, { ...message, params: { ...params, name: other } }))];
  },
});
