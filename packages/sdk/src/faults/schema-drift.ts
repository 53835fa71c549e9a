import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { isObject, withResult } from '../core/message.js';
import { names, oneOf } from '../core/params.js';
import { changeData, dataOf, editableResult } from '../core/tool-result.js';

const OPS = ['rename', 'drop', 'retype', 'nullify'] as const;
type Op = (typeof OPS)[number];

/** The way to a member; `undefined` stands for "every item", because a schema drifts for all items at once. */
type Path = readonly (string | undefined)[];

/** Enough to choose from; a result can have millions of members. */
const MAX_PATHS = 1000;
const MAX_ITEMS = 20;

/** Every member of the data that `op` would change, each way once, in the order of the text. */
function pathsIn(data: unknown, op: Op): readonly Path[] {
  const found = new Map<string, Path>();
  const walk = (value: unknown, path: Path): void => {
    if (found.size >= MAX_PATHS) return;
    if (Array.isArray(value)) {
      for (const item of (value as unknown[]).slice(0, MAX_ITEMS)) walk(item, [...path, undefined]);
    } else if (isObject(value)) {
      for (const [name, part] of Object.entries(value)) {
        const way = [...path, name];
        if (op !== 'nullify' || part !== null) found.set(JSON.stringify(way), way);
        walk(part, way);
      }
    }
  };
  walk(data, []);
  return [...found.values()];
}

/** Applies the change to every member that the path names; returns its argument where there is none. */
function changeAt(data: unknown, path: Path, op: Op): unknown {
  const [step, ...rest] = path;
  if (Array.isArray(data)) {
    if (step !== undefined || rest.length === 0) return data;
    const items = data.map((item: unknown) => changeAt(item, rest, op));
    return items.every((item, index) => item === data[index]) ? data : items;
  }
  if (!isObject(data) || step === undefined || !Object.hasOwn(data, step)) return data;
  if (rest.length === 0)
    return Object.fromEntries(Object.entries(data).flatMap((member) => (member[0] === step ? drifted(member, op, data) : [member])));
  const changed = changeAt(data[step], rest, op);
  return changed === data[step]
    ? data
    : Object.fromEntries(Object.entries(data).map(([name, value]) => [name, name === step ? changed : value]));
}

function drifted([name, value]: [string, unknown], op: Op, owner: object): [string, unknown][] {
  switch (op) {
    case 'drop':
      return [];
    case 'nullify':
      return [[name, null]];
    case 'retype':
      return [[name, retyped(value)]];
    case 'rename':
      return [[newName(name, owner), value]];
  }
}

/** The other common spelling of a name where it has one, else a longer one. */
function newName(name: string, owner: object): string {
  const camel = name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  let other = camel !== name ? camel : snake !== name ? snake : `${name}_value`;
  while (Object.hasOwn(owner, other)) other += '_value';
  return other;
}

function retyped(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? (value as unknown[])[0] : null;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null ? '' : [value];
}

/** A server that was updated without its clients. Text and structured content drift together; failures stay as they are. */
export const schemaDrift = defineFault({
  type: 'schema-drift',
  summary: 'Changes the shape of a structured (or JSON text) result: a member is renamed, dropped, retyped or null.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    op: oneOf(['auto', ...OPS], { default: 'auto', about: 'What happens to a member drawn from the result; auto draws that too.' }),
    fields: names({ default: [], about: 'Members to change, wherever they stand; by default one is drawn.' }),
  },
  decide: (event, { op, fields }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const answer = editableResult(event.frame);
    if (typeof answer === 'string') return context.notDelivered(answer);
    const { message, result } = answer;
    const chosen = op === 'auto' ? OPS[Math.floor(context.draw() * OPS.length)]! : op;
    const paths = pathsIn(dataOf(result)[0], chosen);
    const named = paths.filter((path) => fields.includes(path.at(-1) ?? ''));
    // Inner members first: a renamed parent would hide them.
    const chosenAt = Math.floor(context.draw() * paths.length);
    const members = fields.length > 0 ? named.toReversed() : paths.slice(chosenAt, chosenAt + 1);
    const changed =
      members.length === 0
        ? undefined
        : changeData(result, (data) => members.reduce((changing: unknown, path) => changeAt(changing, path, chosen), data));
    if (changed === undefined) return context.notDelivered('there are no members to change');
    return [forward(editFrame(event.frame, withResult(message, changed)))];
  },
});
