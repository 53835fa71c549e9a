import { changeResult } from '../core/changed-answer.js';
import { defineFault } from '../core/fault.js';
import { isObject, type JsonObject } from '../core/message.js';
import { count, flag, ratio } from '../core/params.js';
import { changeData, wrappedIn } from '../core/tool-result.js';
import { startOf } from '../core/text-start.js';

/** Members that tell an attentive reader that something is missing; compared without case, `_` and `-`. */
const MARKERS: ReadonlySet<string> = new Set(
  [
    'count',
    'cursor',
    'hasMore',
    'hasNext',
    'hasNextPage',
    'isTruncated',
    'more',
    'next',
    'nextCursor',
    'nextPage',
    'nextPageToken',
    'nextToken',
  ]
    .concat(['pageCount', 'pages', 'remaining', 'total', 'totalCount', 'totalItems', 'totalPages', 'totalResults', 'truncated'])
    .map((name) => name.toLowerCase()),
);
const isMarker = (name: string): boolean => MARKERS.has(name.replace(/[_-]/g, '').toLowerCase());

/** Shortens lists; what stands inside their items stays whole. Returns its argument when there is no list to shorten. */
function shorten(data: unknown, keptOf: (length: number) => number): unknown {
  if (Array.isArray(data)) {
    const kept = keptOf(data.length);
    return kept >= data.length ? data : (data as unknown[]).slice(0, kept);
  }
  if (!isObject(data)) return data;
  const members = Object.entries(data).map(([name, value]) => [name, shorten(value, keptOf)] as const);
  return members.every(([name, value]) => value === data[name]) ? data : Object.fromEntries(members);
}

/** Takes the markers out, at every level above the items of lists. Returns its argument when there are none. */
function withoutMarkers(data: unknown): unknown {
  if (!isObject(data)) return data;
  // A list is never a marker, whatever its name: `pages` can be the data themselves.
  const kept = Object.entries(data).filter(([name, value]) => Array.isArray(value) || !isMarker(name));
  const members = kept.map(([name, value]) => [name, withoutMarkers(value)] as const);
  const isSame = members.length === Object.keys(data).length && members.every(([name, value]) => value === data[name]);
  return isSame ? data : Object.fromEntries(members);
}

/** For results without data: fewer blocks, or a shorter text when there is only one. */
function shortenBlocks(result: JsonObject, keepRatio: number, keptOf: (length: number) => number): JsonObject | undefined {
  const blocks: unknown = result['content'];
  if (!Array.isArray(blocks)) return undefined;
  if (blocks.length > 1) {
    const kept = keptOf(blocks.length);
    return kept >= blocks.length ? undefined : { ...result, content: (blocks as unknown[]).slice(0, kept) };
  }
  if (keepRatio === 1) return undefined;
  const block: unknown = blocks[0];
  if (!isObject(block) || typeof block['text'] !== 'string' || block['text'] === '') return undefined;
  return { ...result, content: [{ ...block, text: startOf(block['text'], keepRatio) }] };
}

/** Where every item of a wrapped list is a block of its own, the blocks of those that are left out go with them. */
function withoutBlocks(shortened: JsonObject, result: JsonObject, keptOf: (length: number) => number): JsonObject {
  const [items, blocks] = [wrappedIn(result), result['content']];
  if (!Array.isArray(items) || !Array.isArray(blocks) || items.length < 2 || blocks.length !== items.length) return shortened;
  return { ...shortened, content: (blocks as unknown[]).slice(0, keptOf(blocks.length)) };
}

/** A result cut short by a limit nobody mentions. */
export const partialResult = defineFault({
  type: 'partial-result',
  summary: 'Leaves out the end of a result, and what says that there is more.',
  carriers: ['mcp', 'command'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    keepRatio: ratio({ default: 0.5, about: 'Share of the items that stay, rounded down.' }),
    keepItems: count({ default: 0, unit: 'items', about: 'How many items of each list stay; 0 leaves it to keepRatio.' }),
    hideMarkers: flag({ default: true, about: 'Also removes totals, cursors and the like when something was left out.' }),
  },
  whyPointless: ({ keepRatio, keepItems }) =>
    keepRatio === 1 && keepItems === 0 ? 'its keepRatio is 1, which leaves nothing out' : undefined,
  decide: (event, { keepRatio, keepItems, hideMarkers }, context) =>
    changeResult(event, context, (result) => {
      const keptOf = (length: number): number => (keepItems > 0 ? keepItems : Math.floor(length * keepRatio));
      let hasData = result['structuredContent'] !== undefined;
      const shortened = changeData(result, (data) => {
        hasData = true;
        return shorten(data, keptOf);
      });
      // Once anything is missing, no other place may say so: not a sibling, not another block.
      const unmarked = shortened === undefined || !hideMarkers ? shortened : (changeData(shortened, withoutMarkers) ?? shortened);
      if (unmarked !== undefined) return withoutBlocks(unmarked, result, keptOf);
      // Data without a list cannot be cut short without becoming invalid, which would be another fault.
      return (hasData ? undefined : shortenBlocks(result, keepRatio, keptOf)) ?? 'there is nothing to leave out';
    }),
});
