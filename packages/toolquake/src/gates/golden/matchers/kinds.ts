import { defineMatcher } from '../matcher.js';

/** The kinds of content, in order. */
export const kinds = defineMatcher({
  word: 'kinds',
  field: { kind: 'names', about: 'The kinds of the content, in order: text, image, audio, resource, resource_link.' },
  example: '[text, image]',
  isStable: () => false,
  judge(given, { blocks }) {
    const found = blocks.map(kindOf);
    return found.join() === given.join() ? [] : [{ says: `the content is ${listed(found)}, ${listed(given)} expected` }];
  },
});

/** Contents of a resource have no kind of their own: they hold text or bytes. */
export const kindOf = ({ type, blob }: Readonly<Record<string, unknown>>): string =>
  typeof type === 'string' ? type.slice(0, 40) : blob === undefined ? 'text' : 'blob';

const MAX_LISTED = 20;
const listed = (words: readonly string[]): string =>
  words.length === 0 ? 'empty' : `${words.slice(0, MAX_LISTED).join(', ')}${words.length > MAX_LISTED ? ', ...' : ''}`;
