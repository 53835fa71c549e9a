/** What changed in the lists of prompts, resources and resource templates. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { isSameJson } from './canonical.js';
import type { TellerOf } from './diff-tools.js';
import type { Teller } from './finding.js';
import type { Manifest } from './manifest.js';
import { textRisk } from './text-risk.js';

/** Tells every change of prompts, resources and templates. */
export function diffListed(before: Manifest, after: Manifest, tellerOf: TellerOf): void {
  diffMap(before.prompts, after.prompts, (name) => tellerOf(`prompt ${name}`, ['prompts', name, 'definition']), {
    gone: (tell) => tell('prompt.removed', []),
    come: (tell) => tell('prompt.added', []),
    both: diffPrompt,
  });
  diffMap(before.resources, after.resources, (uri) => tellerOf(`resource ${uri}`, ['resources', uri, 'definition']), {
    gone: (tell) => tell('resource.removed', []),
    come: (tell) => tell('resource.added', []),
    both: (old, now, tell) => diffResource('resource', old, now, tell),
  });
  diffTemplates(before, after, tellerOf);
}

type Verdicts = { gone(tell: Teller): void; come(tell: Teller): void; both(old: JsonObject, now: JsonObject, tell: Teller): void };
type Definitions = ReadonlyMap<string, JsonObject>;

function diffMap(before: Definitions, after: Definitions, tellerOf: (name: string) => Teller, { gone, come, both }: Verdicts): void {
  for (const name of before.keys()) if (!after.has(name)) gone(tellerOf(name));
  for (const [name, now] of after) {
    const old = before.get(name);
    if (old === undefined) come(tellerOf(name));
    else if (!isSameJson(old, now)) both(old, now, tellerOf(name));
  }
}

/** A template under another address and the old name is the same one with other variables. */
function diffTemplates(before: Manifest, after: Manifest, tellerOf: TellerOf): void {
  const teller = (uri: string): Teller => tellerOf(`template ${uri}`, ['resourceTemplates', uri, 'definition']);
  const gone = [...before.resourceTemplates].filter(([uri]) => !after.resourceTemplates.has(uri));
  const come = new Map([...after.resourceTemplates].filter(([uri]) => !before.resourceTemplates.has(uri)));
  for (const [uri, old] of gone) {
    const moved = [...come].find(([, now]) => now['name'] === old['name'] && typeof old['name'] === 'string');
    if (moved === undefined) teller(uri)('template.removed', []);
    else {
      teller(moved[0])('template.variables-changed', ['uriTemplate'], { before: uri, after: moved[0] });
      come.delete(moved[0]);
    }
  }
  for (const uri of come.keys()) teller(uri)('template.added', []);
  for (const [uri, now] of after.resourceTemplates) {
    const old = before.resourceTemplates.get(uri);
    if (old !== undefined && !isSameJson(old, now)) diffResource('template', old, now, teller(uri));
  }
}

function diffPrompt(old: JsonObject, now: JsonObject, tell: Teller): void {
  const [before, after] = [argumentsOf(old), argumentsOf(now)];
  for (const [name, isRequired] of after) {
    const was = before.get(name);
    const steps = ['arguments'];
    if (was === undefined) tell(isRequired ? 'prompt.required-argument-added' : 'prompt.argument-added', steps, { after: name });
    else if (was !== isRequired) tell(isRequired ? 'prompt.argument-required' : 'prompt.argument-optional', steps, { after: name });
  }
  for (const name of before.keys()) if (!after.has(name)) tell('prompt.argument-removed', ['arguments'], { before: name });
  diffDescription('prompt', old, now, tell);
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (name === 'description' || isSameJson(old[name], now[name])) continue;
    if (name === 'arguments') diffArgumentTexts(old, now, tell);
    else tell('prompt.changed', [name], { before: old[name], after: now[name] });
  }
}

function argumentsOf(prompt: JsonObject): ReadonlyMap<string, boolean> {
  const given: unknown = prompt['arguments'];
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  return new Map(list.filter(isObject).map((one) => [String(one['name']), one['required'] === true]));
}

/** Descriptions of arguments are read by models and by people who fill in forms. */
function diffArgumentTexts(old: JsonObject, now: JsonObject, tell: Teller): void {
  const textsOf = (prompt: JsonObject): ReadonlyMap<string, unknown> => {
    const given: unknown = prompt['arguments'];
    return new Map((Array.isArray(given) ? given : []).filter(isObject).map((one) => [String(one['name']), one['description']]));
  };
  const before = textsOf(old);
  for (const [name, text] of textsOf(now)) {
    if (!before.has(name) || before.get(name) === text) continue;
    const risk = textRisk(before.get(name), text);
    tell(risk === undefined ? 'prompt.description-changed' : 'prompt.description-suspicious', ['arguments'], {
      before: before.get(name),
      after: text,
      detail: risk ?? `Argument "${name}".`,
    });
  }
}

function diffResource(scope: 'resource' | 'template', old: JsonObject, now: JsonObject, tell: Teller): void {
  diffDescription(scope, old, now, tell);
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (name === 'description' || isSameJson(old[name], now[name])) continue;
    const parts = { before: old[name], after: now[name] };
    if (name === 'mimeType') tell(`${scope}.mime-type-changed`, [name], parts);
    else if (name === 'name' || name === 'title') tell(`${scope}.name-changed`, [name], parts);
    else if (name === 'annotations') tell(`${scope}.annotations-changed`, [name], parts);
    else if (name === 'size' && scope === 'resource' && hasGrown(old[name], now[name])) tell('resource.grown', [name], parts);
    else tell(`${scope}.changed`, [name], parts);
  }
}

const hasGrown = (before: unknown, after: unknown): boolean =>
  typeof before === 'number' && typeof after === 'number' && before > 0 && after >= 10 * before;

function diffDescription(scope: 'prompt' | 'resource' | 'template', old: JsonObject, now: JsonObject, tell: Teller): void {
  const [before, after] = [old['description'], now['description']];
  if (before === after) return;
  const risk = textRisk(before, after);
  tell(risk === undefined ? `${scope}.description-changed` : `${scope}.description-suspicious`, ['description'], {
    before,
    after,
    detail: risk,
  });
}
