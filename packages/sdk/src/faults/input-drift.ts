import { pointerStep } from '../core/data-change.js';
import { emit, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameFromMessage } from '../core/frame.js';
import { isObject, type JsonObject } from '../core/message.js';
import { count, flag, oneOf, text } from '../core/params.js';
import { changeTools, isFirstPage, lookAlike } from '../core/tool-list.js';

type Op = 'rename' | 'new-required' | 'narrow';

/** A schema with its members and the list of required ones; whatever else it says stays. */
type Parts = { readonly schema: JsonObject; readonly properties: JsonObject; readonly required: readonly unknown[] };

function partsOf(tool: JsonObject): Parts {
  const schema = isObject(tool['inputSchema']) ? tool['inputSchema'] : { type: 'object' };
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return { schema, properties, required: Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [] };
}

/** The member that drifts: the one that was asked for, else the first required one, else the first. */
function memberOf({ properties, required }: Parts, wanted: string): string | undefined {
  if (wanted !== '') return Object.hasOwn(properties, wanted) ? wanted : undefined;
  const first = required.find((name) => typeof name === 'string' && Object.hasOwn(properties, name));
  return typeof first === 'string' ? first : Object.keys(properties)[0];
}

/** A member that takes less than it did; the server still takes all of it. */
function narrowed(member: unknown): JsonObject {
  const schema = isObject(member) ? member : {};
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return { ...schema, minimum: 1, maximum: 10 };
    case 'boolean':
      return { ...schema, const: true };
    case 'array':
      return { ...schema, maxItems: 1 };
    default:
      return { ...schema, type: 'string', maxLength: 8 };
  }
}

type Note = (member: string, clean: unknown, dirty: unknown) => void;

/** The input schema after the drift; undefined when there is no such member. Every member that changed is noted. */
function drifted(parts: Parts, op: Op, wanted: string, note: Note): JsonObject | undefined {
  const { schema, properties, required } = parts;
  const isTaken = (name: string): boolean => Object.hasOwn(properties, name);
  if (op === 'new-required') {
    const base = wanted === '' ? 'tenant_id' : wanted;
    const member = isTaken(base) ? lookAlike(base, isTaken) : base;
    note(member, undefined, { type: 'string' });
    return { ...schema, properties: { ...properties, [member]: { type: 'string' } }, required: [...required, member] };
  }
  const member = memberOf(parts, wanted);
  if (member === undefined) return undefined;
  const clean = properties[member];
  if (op === 'narrow') {
    note(member, clean, narrowed(clean));
    return { ...schema, properties: { ...properties, [member]: narrowed(clean) } };
  }
  const other = lookAlike(member, isTaken);
  note(member, clean, undefined);
  note(other, undefined, clean);
  const renamed = <Name>(name: Name): Name | string => (name === member ? other : name);
  const entries = Object.entries(properties).map(([name, value]) => [renamed(name), value]);
  const changed: JsonObject = { ...schema, properties: Object.fromEntries(entries) };
  if (required.length > 0) changed['required'] = required.map(renamed);
  return changed;
}

/** The list is of one release and the server of another: arguments that fit the list do not fit the server. */
export const inputDrift = defineFault({
  type: 'input-drift',
  summary: 'Lists another input schema than the server takes: a member is renamed, new and required, or narrower.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list'],
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    op: oneOf(['rename', 'new-required', 'narrow'], { default: 'rename', about: 'What happens to a member of the input.' }),
    member: text({ default: '', about: 'The member; by default the first required one, or a tenant_id where one is added.' }),
    afterLists: count({ default: 0, max: 1_000_000, unit: 'lists', about: 'Clean lists that the client gets before the drift.' }),
    hasNotice: flag({ default: false, about: 'Tells the client once that the list has changed, just before the drift (legacy era only).' }),
  },
  memory: () => ({ lists: 0 }),
  observe: (event, _params, { memory }) => {
    if (event.kind === 'frame' && isFirstPage(event.exchange, event.frame)) memory.lists++;
  },
  decide: (event, { op, member: wanted, afterLists, hasNotice }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const { memory } = context;
    const isFirst = isFirstPage(event.exchange, event.frame);
    if (isFirst) memory.lists++;
    // With the last clean list: the next one that the client asks for is the other one.
    const isTimeForNotice = hasNotice && isFirst && memory.lists === Math.max(1, afterLists) && event.exchange.session.era !== 'modern';
    const notice = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    const said = isTimeForNotice ? [emit(frameFromMessage('to-client', notice), { everyMs: 0, count: 1 })] : [];
    if (memory.lists <= afterLists) {
      return said.length === 0
        ? context.notDelivered('the client has not been shown enough clean lists yet')
        : [forward(event.frame), ...said];
    }
    const edited = changeTools(event.frame, context.selectsTool, (tool, index) => {
      const place = `/tools/${index}/inputSchema/properties`;
      const schema = drifted(partsOf(tool), op, wanted, (name, clean, dirty) => context.changed(place + pointerStep(name), clean, dirty));
      return schema === undefined ? tool : { ...tool, inputSchema: schema };
    });
    return typeof edited === 'string' ? context.notDelivered(edited) : [forward(edited), ...said];
  },
});
