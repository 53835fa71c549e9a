import { describe, expect, test } from 'vitest';
import { parseCalls } from './parse-calls.js';

describe('calls on the command line', () => {
  test('are a tool and its arguments, which may hold the separator', () => {
    expect(parseCalls('search {"q":"a;b; c"};list;get{"id":1}')).toEqual([
      { tool: 'search', arguments: { q: 'a;b; c' } },
      { tool: 'list', arguments: {} },
      { tool: 'get', arguments: { id: 1 } },
    ]);
  });

  test.each(['', ' ', 'search {"q":', 'search [1]', 'search 7', '{"q":1}'])('%j is refused with an example', (text) => {
    expect(() => parseCalls(text)).toThrow('--call must be the name of a tool');
  });

  test('the same tool twice is refused', () => {
    expect(() => parseCalls('list;list {"page":2}')).toThrow('--call names list twice');
  });
});
