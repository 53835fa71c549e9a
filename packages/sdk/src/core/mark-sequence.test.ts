import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SELF_DENIAL, watchSequence } from './mark-sequence.js';

const ABC = { name: 'abc', marks: ['a', 'b', 'c'], withinMs: 100 };

/** What is found when marks are heard at the given times, written as `a0 b10 c20`. */
function found(text: string, sequence = ABC): readonly string[] {
  const watch = watchSequence(sequence);
  return text.split(' ').flatMap((word) => {
    const hit = watch.hear(word[0]!, Number(word.slice(1)));
    return hit === undefined ? [] : [`${hit.sinceMs}-${hit.atMs}`];
  });
}

test.each([
  ['a0 b10 c20', ['0-20']],
  ['a0 c10 b20', []],
  ['a0 b10 x15 c20', ['0-20']],
  ['b0 c1 a2', []],
  ['a0 b90 c101', []],
  ['a0 a50 b90 c120', ['50-120']],
  ['a0 b10 c20 a30 b40 c50', ['0-20']],
  ['a0 b10 c20 a200 b210 c220', ['0-20', '200-220']],
  ['a0 b10 c20 a80 b150 c220 a290', ['0-20']],
])('in %s it finds %j', (text, expected) => expect(found(text)).toEqual(expected));

test('a sequence that needs the same mark twice hears it twice', () => {
  expect(found('a0 a10', { name: 'aa', marks: ['a', 'a'], withinMs: 100 })).toEqual(['0-10']);
});

test('the chain of the self-inflicted outage has its three marks in order', () => {
  const watch = watchSequence(SELF_DENIAL);
  const hits = SELF_DENIAL.marks.map((mark, index) => watch.hear(mark, index * 1000));
  expect(hits).toEqual([undefined, undefined, { sequence: 'self-denial-of-service', marks: SELF_DENIAL.marks, sinceMs: 0, atMs: 2000 }]);
});

test('finds one exactly where there is one, in any stream of marks', () => {
  const stream = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'x'), fc.integer({ min: 0, max: 60 })), { maxLength: 40 });
  fc.assert(
    fc.property(stream, (steps) => {
      const watch = watchSequence(ABC);
      let atMs = 0;
      const heard: { mark: string; atMs: number }[] = [];
      let isExpected = false;
      let isHit = false;
      for (const [mark, gap] of steps) {
        atMs += gap;
        heard.push({ mark, atMs });
        isHit ||= watch.hear(mark, atMs) !== undefined;
        const at = (name: string, after: number): number[] =>
          heard.flatMap((one, index) => (one.mark === name && index > after ? [index] : []));
        isExpected ||= at('a', -1).some((a) => at('b', a).some((b) => at('c', b).some((c) => heard[c]!.atMs - heard[a]!.atMs <= 100)));
        expect(isHit).toBe(isExpected);
      }
    }),
  );
});
