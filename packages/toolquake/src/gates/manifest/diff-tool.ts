/** What changed about one tool. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { canonicalText, isSameJson } from './canonical.js';
import type { Teller } from './finding.js';
import type { FindingId } from './findings/catalogue.js';
import { compareSchemas } from './schema/compare.js';
import { compareRemarks } from './schema/remarks.js';
import { textRisk } from './text-risk.js';

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const UI = 'io.modelcontextprotocol/ui';

/** Tells what changed between two definitions of a tool. */
export function diffTool(before: JsonObject, after: JsonObject, tell: Teller): void {
  if (isSameJson(before, after)) return;
  diffText(before, after, tell);
  diffMetadata(before['_meta'], after['_meta'], tell);
  diffAnnotations(objectOf(before['annotations']), objectOf(after['annotations']), tell);
  diffExecution(objectOf(before['execution']), objectOf(after['execution']), tell);
  for (const scope of ['input', 'output'] as const) diffSchema(scope, before[`${scope}Schema`], after[`${scope}Schema`], tell);
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!KNOWN.has(name) && !isSameJson(before[name], after[name]))
      tell('tool.extension-changed', [name], { before: before[name], after: after[name] });
  }
}

const KNOWN: ReadonlySet<string> = new Set([
  'name',
  'title',
  'description',
  'icons',
  '_meta',
  'annotations',
  'execution',
  'inputSchema',
  'outputSchema',
]);

function diffText(before: JsonObject, after: JsonObject, tell: Teller): void {
  for (const [name, id] of [
    ['title', 'tool.title-changed'],
    ['icons', 'tool.icons-changed'],
  ] as const) {
    if (!isSameJson(before[name], after[name])) tell(id, [name], { before: before[name], after: after[name] });
  }
  const [old, now] = [before['description'], after['description']];
  if (old === now) return;
  const risk = textRisk(old, now);
  tell(risk === undefined ? 'tool.description-changed' : 'tool.description-suspicious', ['description'], {
    before: old,
    after: now,
    detail: risk,
  });
}

function diffMetadata(before: unknown, after: unknown, tell: Teller): void {
  if (isSameJson(before, after)) return;
  // Where hosts look for the page of a tool: under the extension's name, and in the short form that came before it.
  const interfaceOf = (meta: unknown): unknown => [UI, 'ui', 'ui/resourceUri'].map((name) => objectOf(meta)[name]);
  const isInterface = canonicalText(interfaceOf(before)) !== canonicalText(interfaceOf(after));
  tell(isInterface ? 'tool.interface-changed' : 'tool.metadata-changed', ['_meta'], { before, after });
}

type Hint = readonly [name: string, fallback: boolean, risky: FindingId, riskyValue: boolean, safer: FindingId];

const HINTS: readonly Hint[] = [
  ['readOnlyHint', false, 'annotations.read-only-dropped', false, 'annotations.read-only-claimed'],
  ['destructiveHint', true, 'annotations.destructive-added', true, 'annotations.destructive-dropped'],
  ['idempotentHint', false, 'annotations.idempotent-dropped', false, 'annotations.idempotent-claimed'],
  ['openWorldHint', true, 'annotations.open-world-added', true, 'annotations.open-world-dropped'],
];

/** By effective value: what is left out has a default. */
function diffAnnotations(before: JsonObject, after: JsonObject, tell: Teller): void {
  for (const [name, fallback, risky, riskyValue, safer] of HINTS) {
    const [was, is] = [before, after].map((one) => (typeof one[name] === 'boolean' ? one[name] : fallback));
    if (was !== is) tell(is === riskyValue ? risky : safer, ['annotations', name], { before: was, after: is });
  }
  if (!isSameJson(before['title'], after['title']))
    tell('annotations.title-changed', ['annotations', 'title'], { before: before['title'], after: after['title'] });
}

function diffExecution(before: JsonObject, after: JsonObject, tell: Teller): void {
  const [was, is] = [before, after].map((one) => (typeof one['taskSupport'] === 'string' ? one['taskSupport'] : 'forbidden'));
  if (was !== is)
    tell(is === 'required' ? 'tool.task-required' : 'tool.task-support-changed', ['execution', 'taskSupport'], { before: was, after: is });
}

function diffSchema(scope: 'input' | 'output', before: unknown, after: unknown, tell: Teller): void {
  const word = `${scope}Schema`;
  if (isSameJson(before, after)) return;
  if (before === undefined) return tell(`${scope}.schema-added`, [word]);
  if (after === undefined) return tell(`${scope}.schema-removed`, [word]);
  const changes = [...compareSchemas(before, after), ...compareRemarks(before, after)];
  for (const { kind, steps, ...parts } of changes) {
    tell(`${scope}.${kind}`, [word, ...steps], parts);
  }
  // Two texts that mean the same: said aloud, so that a changed hash is always explained.
  if (changes.length === 0) tell(`${scope}.spelling-changed`, [word]);
}
