/** What changed in the list of tools: who is gone, who came, who has another name, and in which order they stand. */
import { isObject, nearestWord, type JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from './canonical.js';
import { diffTool } from './diff-tool.js';
import type { Finding, Teller } from './finding.js';
import type { Manifest } from './manifest.js';
import { similarity, textRisk, wordsOf } from './text-risk.js';
import { contractOfTool } from './without-text.js';

/** Makes a teller for one subject; its steps are below `prefix`. */
export type TellerOf = (subject: string, prefix: readonly string[]) => Teller;

/** Tells every change of the tools. */
export function diffTools(before: Manifest, after: Manifest, tellerOf: TellerOf): void {
  const gone = [...before.tools.keys()].filter((name) => !after.tools.has(name));
  const come = [...after.tools.keys()].filter((name) => !before.tools.has(name));
  const renamed = renamedTools(before, after, gone, come);
  for (const name of gone) {
    const now = renamed.get(name);
    const tell = tellerOf(`tool ${now ?? name}`, ['tools', now ?? name]);
    if (now === undefined) tell('tool.removed', []);
    else tell('tool.renamed', [], { before: name, after: now, detail: `"${name}" is now "${now}".` });
  }
  const known = new Set(renamed.values());
  for (const name of come) if (!known.has(name)) tellNew(name, after, tellerOf(`tool ${name}`, ['tools', name, 'definition']));
  for (const [name, tool] of after.tools) {
    const tell = tellerOf(`tool ${name}`, ['tools', name, 'definition']);
    const old = before.tools.get(name) ?? before.tools.get([...renamed].find(([, now]) => now === name)?.[0] ?? '');
    if (old !== undefined) diffTool(old, tool, tell);
    if (!NAME.test(name) && (!before.tools.has(name) || [...before.tools.keys()].every((one) => NAME.test(one)))) {
      tell('tool.name-invalid', ['name'], { after: name });
    }
  }
  diffWhole(before, after, tellerOf('tools', []));
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Pairs looked at when a rename is guessed: a manifest that lost a thousand tools was not renamed. */
const MAX_GUESSES = 40_000;

/** Old name to new name, where one tool went and another came that is the same in all but its name. */
function renamedTools(before: Manifest, after: Manifest, gone: readonly string[], come: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (gone.length * come.length > MAX_GUESSES) return found;
  const left = new Set(come);
  for (const name of gone) {
    const old = before.tools.get(name)!;
    const same = [...left].filter((one) => isSameButName(old, after.tools.get(one)!));
    const now = same.length === 1 ? same[0] : nearestWord(name, same);
    if (now === undefined) continue;
    found.set(name, now);
    left.delete(now);
  }
  return found;
}

/** The same contract; a contract without any property is shared by strangers, so then the description has to match, too. */
function isSameButName(one: JsonObject, other: JsonObject): boolean {
  const [contract, otherContract] = [one, other].map((tool) => canonicalText({ ...contractOfTool(tool), name: '' }));
  if (contract !== otherContract) return false;
  const schema = one['inputSchema'];
  const properties = isObject(schema) ? schema['properties'] : undefined;
  const isTelling = isObject(properties) && Object.keys(properties).length > 0;
  return similarity(wordsOf(one['description']), wordsOf(other['description'])) > (isTelling ? 0.3 : 0.7);
}

/** Tools that a new one is compared with; beyond it, only equal titles and descriptions are found. */
const MAX_NEIGHBOURS = 2000;

function tellNew(name: string, after: Manifest, tell: Teller): void {
  const tool = after.tools.get(name)!;
  const risk = textRisk(undefined, tool['description']);
  if (risk !== undefined) tell('tool.description-suspicious', ['description'], { after: tool['description'], detail: risk });
  const [title, words] = [tool['title'], wordsOf(tool['description'])];
  let looked = 0;
  for (const [other, neighbour] of after.tools) {
    if (other === name || ++looked > MAX_NEIGHBOURS) continue;
    const isTwin = typeof title === 'string' && title === neighbour['title'];
    if (!isTwin && !(words.size > 3 && similarity(words, wordsOf(neighbour['description'])) >= 0.9)) continue;
    return tell('tool.added-ambiguous', [], { after: other, detail: `It reads like "${other}".` });
  }
  tell('tool.added', []);
}

function diffWhole(before: Manifest, after: Manifest, tell: Teller): void {
  const shared = (order: readonly string[], other: Manifest): readonly string[] => order.filter((name) => other.tools.has(name));
  const [old, now] = [shared(before.toolOrder, after), shared(after.toolOrder, before)];
  if (canonicalText(old) !== canonicalText(now)) {
    const first = now.findIndex((name, index) => name !== old[index]);
    tell('tool.order-changed', ['toolOrder'], {
      before: old.slice(first, first + 3),
      after: now.slice(first, first + 3),
      detail: `From place ${first + 1} on.`,
    });
  }
  const [was, is] = [before, after].map(sizeOf) as [number, number];
  // A tool that was added was told; this is about what every prompt costs.
  if (was > 0 && is > 1.2 * was)
    tell('tool.manifest-grown', ['tools'], {
      before: was,
      after: is,
      detail: `About ${Math.round(is / 4)} tokens, ${Math.round((100 * is) / was - 100)} % more.`,
    });
}

const sizeOf = ({ tools }: Manifest): number => [...tools.values()].reduce((sum, tool) => sum + canonicalText(tool).length, 0);

/** Findings that a major version would have announced. */
export const isBreaking = ({ levels }: Finding): boolean => levels.includes('breaking');
