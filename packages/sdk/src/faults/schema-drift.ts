import { changeResult } from '../core/changed-answer.js';
import { changeAt, membersIn, parsePath, pick, placesAt, type DataPath, type Place } from '../core/data-path.js';
import { defineFault } from '../core/fault.js';
import { emptyShape, learnShape, wasAlwaysThere } from '../core/learnt-shape.js';
import type { JsonObject } from '../core/message.js';
import { promisedAt } from '../core/output-schema.js';
import { names, oneOf, text } from '../core/params.js';
import { canDrift, drifted, DRIFTS, type Drift, type MemberPromise } from '../core/drift.js';
import { changeData, dataOf, editableResult, wrappedIn } from '../core/tool-result.js';

type Member = Place & { readonly promise: MemberPromise | undefined };

/** Members that are held against a schema, which a server may have written to keep us busy. */
const MAX_PROMISED = 200;

const nameOf = (path: DataPath): string => String(path.at(-1));

/** The members that a rule names, each way once; inner ones first, because a renamed parent would hide them. */
function namedMembers(data: unknown, fields: readonly string[], path: string): readonly Member[] {
  const pattern = path === '' ? undefined : parsePath(path);
  const byName = membersIn(data).filter((member) => fields.includes(nameOf(member.path)));
  const place = pattern === undefined ? undefined : placesAt(data, pattern)[0];
  const byPath = place === undefined || typeof pattern?.at(-1) !== 'string' ? [] : [{ path: pattern, value: place.value }];
  return [...byName, ...byPath].map((member) => ({ ...member, promise: undefined })).toReversed();
}

/** What the schema says about each member; those that it does not know are left out where there is a schema. */
function promisedMembers(data: unknown, root: JsonObject | undefined): readonly Member[] {
  if (root === undefined) return membersIn(data).map((member) => ({ ...member, promise: undefined }));
  return membersIn(data)
    .slice(0, MAX_PROMISED)
    .flatMap((member): Member[] => {
      const promised = promisedAt(root, member.path);
      return promised === undefined ? [] : [{ ...member, promise: { ...promised, root } }];
    });
}

/** The ways to the owner of a member: from the whole, and where it is wrapped, from the bare data or one item of them. */
function waysTo(path: DataPath, wrapped: unknown): readonly DataPath[] {
  const owner = path.slice(0, -1);
  if (wrapped === undefined || owner[0] !== 'result') return [owner];
  return owner[1] === null ? [owner, owner.slice(1), owner.slice(2)] : [owner, owner.slice(1)];
}

/** Changes what stands at the first way that leads somewhere. */
function driftAt(data: unknown, ways: readonly DataPath[], change: (owner: unknown) => unknown): unknown {
  for (const way of ways) {
    const changed = changeAt(data, way, change);
    if (changed !== data) return changed;
  }
  return data;
}

/**
 * A server that was updated without its clients. What drifts is chosen by the tool's output schema where the client
 * listed it, else by what earlier answers always had, else by the answer alone. Text and structured content drift
 * together; failures stay as they are.
 */
export const schemaDrift = defineFault({
  type: 'schema-drift',
  summary: 'Changes the shape of a structured (or JSON text) result, against the output schema of the tool where it is known.',
  carriers: ['mcp', 'command'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    op: oneOf(['auto', ...DRIFTS], { default: 'auto', about: 'What happens to a member drawn from the result; auto draws that too.' }),
    fields: names({ default: [], about: 'Members to change, wherever they stand; by default one is drawn.' }),
    path: text({ default: '', about: 'Where the member to change stands, for example orders[*].total; by default one is drawn.' }),
    members: oneOf(['any', 'required', 'optional'], {
      default: 'any',
      about: 'Which members are drawn: those that the tool promises always, those that it may leave out, or any.',
    }),
  },
  whyPointless: ({ path }) => (parsePath(path) === undefined ? 'its path is not of the form orders[*].total' : undefined),
  learnsTools: true,
  memory: emptyShape,
  observe: (event, _params, { memory }) => {
    if (event.kind !== 'frame') return;
    const clean = editableResult(event.frame);
    const data = typeof clean === 'string' ? undefined : dataOf(clean.result)[0];
    if (data !== undefined) learnShape(memory, data);
  },
  decide: (event, { op, fields, path, members }, context) =>
    changeResult(event, context, (result, { tool }) => {
      const data = dataOf(result)[0];
      const schema = context.knownTool(tool)?.outputSchema;
      const isNamed = fields.length > 0 || path !== '';
      const always = (member: Member): boolean | undefined => member.promise?.isRequired ?? wasAlwaysThere(context.memory, member.path);
      let candidates = isNamed ? namedMembers(data, fields, path) : promisedMembers(data, schema);
      if (!isNamed && members === 'optional') candidates = candidates.filter((member) => always(member) === false);
      if (!isNamed && members === 'required') candidates = candidates.filter((member) => always(member) !== false);
      if (!isNamed && members === 'any' && schema === undefined) {
        const steady = candidates.filter((member) => always(member) !== false);
        if (steady.length > 0) candidates = steady;
      }
      const possible = (op === 'auto' ? DRIFTS : [op])
        .map((drift): readonly [Drift, readonly Member[]] => [
          drift,
          candidates.filter(({ value, promise }) => canDrift(value, drift, promise)),
        ])
        .filter(([, able]) => able.length > 0);
      const [drift, able] = pick(possible, context.draw()) ?? [];
      if (drift === undefined || able === undefined) return 'there are no members to change';
      const one = pick(able, context.draw());
      const chosen = isNamed || one === undefined ? able : [one];
      const changed = changeData(result, (whole) =>
        chosen.reduce(
          (changing: unknown, member) =>
            driftAt(changing, waysTo(member.path, wrappedIn(result)), (owner) =>
              drifted(owner, nameOf(member.path), drift, member.promise),
            ),
          whole,
        ),
      );
      return changed ?? 'there are no members to change';
    }),
});
