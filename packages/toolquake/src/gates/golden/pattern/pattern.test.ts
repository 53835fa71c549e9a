import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PatternRefusal } from './parse.js';
import { compilePattern } from './pattern.js';

test.each([
  ['^ord_[0-9a-f]{8}$', 'ord_0123abcd', true],
  ['^ord_[0-9a-f]{8}$', 'ord_0123abcdf', false],
  ['\\bhealth\\b', 'a health check', true],
  ['\\bhealth\\b', 'unhealthy', false],
  ['^(a|b)*c?$', 'abab', true],
  ['^\\p{Lu}\\S+$', 'Ärger', true],
  ['^.$', '😀', true],
  ['a{2,3}b', 'ab', false],
  ['^(?:x{0,2}y)+$', 'xxyyxy', true],
  ['', 'anything', true],
  ['\\.\\-\\"\\/', '.-"/', true],
])('%j on %j is %j', (pattern, text, found) => expect(compilePattern(pattern).test(text)).toBe(found));

test.each([
  '(?=a)',
  '(?<n>a)',
  '(a)\\1',
  '\\k<n>',
  'a**',
  '*a',
  '(a',
  'a)',
  '[a',
  '\\',
  'a{3,2}',
  'a{9999}',
  '(a{1000}){1000}',
  '((){1000}){1000}',
  'x'.repeat(501),
])('refuses %j', (pattern) => expect(() => compilePattern(pattern)).toThrow(PatternRefusal));

test('patterns that are known to run away do not', () => {
  const text = `${'a'.repeat(20_000)}!`;
  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a*)*$', 'a*a*a*a*a*b', '^(([a-z])+.)+[A-Z]([a-z])+$'])
    expect(compilePattern(pattern).test(text)).toBe(false);
});

const part = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '(a|b)', '(?:ab)', '(a*b)', '(|a)');
const piece = fc.tuple(part, fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?')).map((both) => both.join(''));
const pattern = fc
  .tuple(fc.constantFrom('', '^', '\\b'), fc.array(fc.oneof(piece, fc.constant('|')), { maxLength: 5 }), fc.constantFrom('', '$'))
  .map(([start, pieces, end]) => start + pieces.join('') + end);

test('says what the engine of JavaScript says', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é'), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, (source, found) => {
      expect(compilePattern(source).test(found)).toBe(new RegExp(source, 'u').test(found));
    }),
    { numRuns: 1000 },
  );
});

test('compiles or refuses whatever it is given', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (source) => {
      try {
        compilePattern(source).test('some text');
      } catch (error) {
        expect(error).toBeInstanceOf(PatternRefusal);
      }
    }),
  );
});
