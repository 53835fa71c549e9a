/** The life of a data fault: take a successful result, make another of it, and say in the journal what is different. */
import { MAX_CHANGES, pointerStep, REDACTED, writableValue } from './data-change.js';
import { forward, type Effect } from './effect.js';
import type { TrafficEvent } from './event.js';
import type { FaultContext } from './fault.js';
import { editFrame } from './frame.js';
import { isObject, withResult, type JsonObject } from './message.js';
import type { Exchange } from './session.js';
import { editableResult, jsonTextOf } from './tool-result.js';

/**
 * Sends an answer on with what `change` makes of its result, and notes the differences. `change` returns the reason
 * when there is nothing to change; answers that are no complete, successful result have one already.
 */
export function changeResult(
  event: TrafficEvent,
  context: Pick<FaultContext, 'changed' | 'notDelivered'>,
  change: (result: JsonObject, exchange: Exchange) => JsonObject | string,
): readonly Effect[] {
  if (event.kind !== 'frame' || event.part !== 'answer') return [];
  const answer = editableResult(event.frame);
  if (typeof answer === 'string') return context.notDelivered(answer);
  const changed = change(answer.result, event.exchange);
  if (typeof changed === 'string') return context.notDelivered(changed);
  noteDifferences(answer.result, changed, context.changed);
  return [forward(editFrame(event.frame, withResult(answer.message, changed)))];
}

/**
 * Notes where two results differ, value by value. What structured content and a JSON text say alike is noted once;
 * a path goes on inside a text, so that the name of a member is never lost. Of sentences only the words that differ are noted.
 */
export function noteDifferences(clean: JsonObject, dirty: JsonObject, note: FaultContext['changed']): void {
  const noted = new Set<string>();
  /** `place` is where the data stand in the result, `path` where the value stands in the data. */
  const compare = (before: unknown, after: unknown, place: string, path: string): void => {
    if (before === after || noted.size >= MAX_CHANGES) return;
    if (Array.isArray(before) && Array.isArray(after)) {
      const length = Math.max(before.length, after.length);
      for (let index = 0; index < length && noted.size < MAX_CHANGES; index++) {
        compareBlock(before[index], after[index], place, path + pointerStep(index));
      }
    } else if (isObject(before) && isObject(after)) {
      for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
        compare(ownMember(before, name), ownMember(after, name), place, path + pointerStep(name));
      }
    } else {
      const key = `${path} ${brief(before)} ${brief(after)}`;
      if (noted.has(key)) return;
      noted.add(key);
      const isWords = place === '' || [before, after].some((text) => typeof text === 'string' && text.length > MAX_VALUE_LENGTH);
      note(place + path, ...(isWords ? wordsThatDiffer(before, after) : ([before, after] as const)));
    }
  };
  const compareBlock = (before: unknown, after: unknown, place: string, path: string): void => {
    const data = path.startsWith('/content') && place === '' ? [jsonTextOf(before), jsonTextOf(after)] : [];
    if (data[0] === undefined || data[1] === undefined) compare(before, after, place, path);
    else compare(data[0], data[1], `${path}/text`, '');
  };
  compare(clean['structuredContent'], dirty['structuredContent'], '/structuredContent', '');
  // Compared already, so it is the same on both sides here.
  compare({ ...clean, structuredContent: undefined }, { ...dirty, structuredContent: undefined }, '', '');
}

/** A longer text is no value any more but a passage. */
const MAX_VALUE_LENGTH = 64;

/** Two texts without the words that they begin and end with alike; a side on which nothing is left has no value. */
function wordsThatDiffer(before: unknown, after: unknown): readonly [unknown, unknown] {
  if (typeof before !== 'string' || typeof after !== 'string') return [before, after];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const isInside = (text: string, at: number): boolean => at > 0 && at < text.length && /\S\S/.test(text.slice(at - 1, at + 1));
  while (start > 0 && (isInside(before, start) || isInside(after, start))) start--;
  while (end > 0 && (isInside(before, before.length - end) || isInside(after, after.length - end))) end--;
  // A secret is known by the words before it: then the texts as a whole are the change, and it is not written down.
  if ([before, after].some((text) => writableValue(text.slice(Math.max(0, start - 64))) === REDACTED)) return [before, after];
  const [clean, dirty] = [before, after].map((text) => text.slice(start, text.length - end).trim());
  return clean === dirty ? [before, after] : [clean === '' ? undefined : clean, dirty === '' ? undefined : dirty];
}

const ownMember = (owner: JsonObject, name: string): unknown => (Object.hasOwn(owner, name) ? owner[name] : undefined);

/** Enough to tell two changes at one path apart. */
const brief = (value: unknown): string => (typeof value === 'object' && value !== null ? 'structure' : String(value).slice(0, 300));
