import { parsePath, placesAt } from '@toolquake/sdk/core';
import { answerData } from '../../../core/answer-data.js';
import type { RpcOutcome } from '../../../core/connection.js';
import { canonicalText } from '../../manifest/canonical.js';
import { checkPaths, defineMatcher, type Mismatch } from '../matcher.js';
import { shown } from '../shown.js';

/** Pages that hold every item once, in an order that stays. */
export const pages = defineMatcher({
  word: 'pages',
  field: {
    kind: 'group',
    about: 'The pages of the answer are walked twice: no item comes twice, and both walks see the same items in the same order.',
    fields: {
      items: { kind: 'text', isRequired: true, about: 'Where the items of a page stand.' },
      cursor: { kind: 'text', isRequired: true, about: 'Where the cursor of the next page stands; the last page has none.' },
      argument: { kind: 'text', isRequired: true, about: 'The argument of the tool that takes the cursor.' },
      max: { kind: 'whole', min: 1, max: 1000, about: 'Pages that are walked at most; 10 unless told otherwise.' },
    },
  },
  example: '{ items: orders, cursor: next, argument: cursor }',
  isStable: () => false,
  check: ({ items, cursor }, path, reader) => checkPaths([items, cursor], path, reader),
  judge({ items }, { walks }) {
    const steps = parsePath(items) ?? [];
    const [first, second] = walks.map((walk) => walk.map((page) => itemsOf(page, steps)));
    if (first === undefined || second === undefined) return [{ says: 'the pages were not walked', weight: 'undecided' }];
    const broken = [...first, ...second].find((page) => typeof page === 'string');
    if (broken !== undefined) return [{ says: String(broken) }];
    const [one, other] = [first.flat() as readonly string[], second.flat() as readonly string[]];
    const seen = new Set<string>();
    const twice = one.find((item) => seen.size === seen.add(item).size);
    if (twice !== undefined) return [{ says: `an item stands on the pages twice: ${shown(JSON.parse(twice))}` }];
    return sameWalk(one, other);
  },
});

function itemsOf(page: RpcOutcome, steps: NonNullable<ReturnType<typeof parsePath>>): readonly string[] | string {
  if (page.kind === 'error') return `a page is an error: ${shown(page.error.message)}`;
  const list = placesAt(answerData(page.result), steps)[0]?.value;
  return Array.isArray(list) ? list.map((item: unknown) => canonicalText(item)) : 'a page has no list of items';
}

function sameWalk(one: readonly string[], other: readonly string[]): readonly Mismatch[] {
  const at = one.findIndex((item, index) => item !== other[index]);
  if (at < 0 && one.length === other.length) return [];
  return [{ says: `walked again, the pages differ from item ${(at < 0 ? one.length : at) + 1} on` }];
}
