import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestWord, suggest } from './nearest-word.js';

const WORDS = ['latency', 'lost-ack', 'addedMs', 'probability', 'tool', 'to-server', 'to-client'];

describe('nearestWord', () => {
  test.each([
    ['latencyy', 'latency'],
    ['latnecy', 'latency'],
    ['lost_ack', 'lost-ack'],
    ['LOSTACK', 'lost-ack'],
    ['added_ms', 'addedMs'],
    ['probabilty', 'probability'],
    ['prob', 'probability'],
    ['toool', 'tool'],
    ['to-sever', 'to-server'],
  ])('takes %s for %s', (given, meant) => {
    expect(nearestWord(given, WORDS)).toBe(meant);
  });

  test('prefers silence to a wild guess', () => {
    expect(nearestWord('xyz', WORDS)).toBeUndefined();
    expect(nearestWord('', WORDS)).toBeUndefined();
    expect(nearestWord('to', WORDS)).toBeUndefined();
    expect(nearestWord('x'.repeat(100_000), WORDS)).toBeUndefined();
  });

  test('finds every word that has one letter wrong', () => {
    fc.assert(
      fc.property(fc.constantFrom('latency', 'probability', 'partial-result'), fc.nat(), (word, at) => {
        const index = at % word.length;
        expect(nearestWord(`${word.slice(0, index)}#${word.slice(index + 1)}`, [word, 'unrelated'])).toBe(word);
      }),
    );
  });
});

test('suggest lists what is allowed when nothing is near', () => {
  expect(suggest('latencyy', WORDS)).toBe('Did you mean "latency"?');
  expect(suggest('xyz', ['a', 'b'])).toBe('Allowed: a, b.');
});
