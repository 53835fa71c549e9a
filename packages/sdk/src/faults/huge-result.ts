import { changeResult } from '../core/changed-answer.js';
import { changeAt, placesIn, type Place } from '../core/data-path.js';
import { defineFault } from '../core/fault.js';
import { count } from '../core/params.js';
import { changeProse, proseOf } from '../core/prose.js';
import { changeData, dataOf } from '../core/tool-result.js';

const sizeOf = (value: unknown): number => (JSON.stringify(value) ?? '').length;

/** The list or text that is the largest already; lists before texts. */
function growable(data: unknown): Place | undefined {
  const places = [{ path: [], value: data }, ...placesIn(data)];
  const lists = places.filter(({ value }) => Array.isArray(value) && value.length > 0);
  const found = lists.length > 0 ? lists : places.filter(({ value }) => typeof value === 'string' && value !== '');
  // Measured once each: places stand inside one another, and to write them out again for every comparison takes for ever.
  return found.map((place) => ({ place, size: sizeOf(place.value) })).toSorted((one, other) => other.size - one.size)[0]?.place;
}

const timesFor = (size: number, bytes: number): number => Math.max(2, Math.ceil(bytes / Math.max(1, size)));

/** The same words again and again, until they have so many characters. */
const repeated = (text: string, bytes: number): string => text.repeat(timesFor(text.length, bytes));

/** The same for a list, or for a text. */
function grown(value: unknown, bytes: number): unknown {
  if (typeof value === 'string') return repeated(value, bytes);
  if (!Array.isArray(value)) return value;
  const list: unknown[] = value;
  return Array.from({ length: timesFor(sizeOf(list) - 2, bytes) * list.length }, (_, index) => list[index % list.length]);
}

/** A query without a limit. It costs the caller memory, time, and every token that its context had left. */
export const hugeResult = defineFault({
  type: 'huge-result',
  summary: 'Makes a result very large by repeating what is in it.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    bytes: count({
      default: 1_000_000,
      min: 1,
      max: 64_000_000,
      unit: 'bytes',
      about: 'How large the text of the result becomes, at least; four bytes are about one token.',
    }),
  },
  decide: (event, { bytes }, context) =>
    changeResult(event, context, (result) => {
      if (sizeOf(result) >= bytes) return 'the result is as large as that already';
      const place = growable(dataOf(result)[0]);
      if (place !== undefined) {
        return changeData(result, (data) => changeAt(data, place.path, (value) => grown(value, bytes))) ?? 'there is nothing to repeat';
      }
      const [longest] = proseOf(result).toSorted((one, other) => other.text.length - one.text.length);
      // A number or a flag cannot be made longer, and words beside it would tear the two apart.
      if (longest === undefined || longest.text === '' || result['structuredContent'] !== undefined) return 'there is nothing to repeat';
      return changeProse(result, (block) => (block === longest ? repeated(`${block.text}\n`, bytes) : block.text));
    }),
});
