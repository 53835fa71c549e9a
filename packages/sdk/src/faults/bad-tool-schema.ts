import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { isObject, type JsonObject } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { editableTools, findTool, withTools } from '../core/tool-list.js';

const FLAWS = ['non-object', 'missing', 'null', 'unresolvable-ref', 'unknown-type'] as const;

/** The tool with a schema that a strict client cannot take. */
function flawed(tool: JsonObject, flaw: (typeof FLAWS)[number]): JsonObject {
  const { inputSchema, ...rest } = tool;
  const schema = isObject(inputSchema) ? inputSchema : { type: 'object' };
  const withMember = (name: string, member: JsonObject): JsonObject => {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    return { ...tool, inputSchema: { ...schema, properties: { ...properties, [name]: member } } };
  };
  switch (flaw) {
    case 'missing':
      return rest;
    case 'null':
      return { ...tool, inputSchema: null };
    case 'non-object':
      return { ...tool, inputSchema: { type: 'string' } };
    case 'unresolvable-ref':
      return withMember('options', { $ref: '#/$defs/Options' });
    case 'unknown-type':
      return withMember('limit', { type: 'int' });
  }
}

/** One tool is written carelessly. Clients that check the list as a whole lose all the others with it. */
export const badToolSchema = defineFault({
  type: 'bad-tool-schema',
  summary: 'Gives one tool of the list an input schema that is none.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list'],
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    flaw: oneOf(FLAWS, {
      default: 'non-object',
      about:
        'What is wrong: it describes a string, it is left out, it is null, it refers to a definition that is not there, or a member has a type that JSON Schema does not know.',
    }),
  },
  decide: (event, { flaw }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const page = editableTools(event.frame);
    if (typeof page === 'string') return context.notDelivered(page);
    const at = findTool(page.tools, context.selectsTool);
    if (at === -1) return context.notDelivered('none of the tools is listed');
    // Found by its name, so it is an object.
    const tool = page.tools[at] as JsonObject;
    const bad = flawed(tool, flaw);
    if (JSON.stringify(bad) === JSON.stringify(tool)) return context.notDelivered('its schema is like that already');
    context.changed(`/tools/${at}/inputSchema`, tool['inputSchema'], bad['inputSchema']);
    return [forward(withTools(event.frame, page, page.tools.with(at, bad)))];
  },
});
