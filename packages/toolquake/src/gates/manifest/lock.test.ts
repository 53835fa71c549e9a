/** A lock is the same bytes for the same server, and a hostile one is refused with a reason. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from './canonical.js';
import { manifest, named, tool } from './fixtures/manifests.js';
import { hashOf, lockText } from './lock-text.js';
import { oversize } from './measure.js';
import { readLock } from './read-lock.js';
import { contractOfTool } from './without-text.js';

const nested = (levels: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};
const read = (text: string): ReturnType<typeof readLock> => readLock(JSON.parse(text));

describe('a lock', () => {
  const one = manifest({
    tools: named('tools', tool(), JSON.parse('{"name":"__proto__","inputSchema":{}}') as JsonObject),
    instructions: 'Search first.',
  });

  test('is read back as what was written, also with hostile names', () => {
    expect(read(lockText(one))).toEqual({
      manifest: expect.objectContaining({ tools: one.tools, instructions: 'Search first.', toolOrder: ['search', '__proto__'] }),
    });
    expect(lockText((read(lockText(one)) as { manifest: typeof one }).manifest)).toBe(lockText(one));
  });

  test('has the same bytes whatever the order of members and the composition of letters', () => {
    const [composed, apart] = ['caf\u00e9', 'cafe\u0301'].map((description) => manifest({ tools: named('tools', tool({ description })) }));
    expect(lockText(composed!)).toBe(lockText(apart!));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const back = JSON.parse(canonicalText(value)) as unknown;
        expect(canonicalText(back)).toBe(canonicalText(value));
      }),
    );
  });

  test('has a contract hash that texts leave alone', () => {
    const [before, after] = [tool(), tool({ title: 'T', description: 'Other words.', inputSchema: { type: 'object', description: 'x' } })];
    expect(hashOf(contractOfTool(before))).toBe(hashOf(contractOfTool(after)));
    expect(hashOf(before)).not.toBe(hashOf(after));
    const property = (name: string): JsonObject => tool({ inputSchema: { type: 'object', properties: { [name]: {} } } });
    expect(hashOf(contractOfTool(property('description')))).not.toBe(hashOf(contractOfTool(property('title'))));
  });

  test.each([
    ['something else', { tools: [] }, 'It is no manifest lock'],
    ['a list', [], 'It is no manifest lock'],
    ['a later version', { format: 'toolquake-manifest', version: 2 }, 'Version 2 of the lock format is unknown'],
    ['an unknown key', { format: 'toolquake-manifest', version: 1, toolz: {} }, 'toolz'],
    ['a tool without a definition', { format: 'toolquake-manifest', version: 1, tools: { a: {} } }, '"a" has no definition'],
    ['another name', { format: 'toolquake-manifest', version: 1, prompts: { a: { definition: { name: 'b' } } } }, 'that of another'],
    [
      'a bomb',
      { format: 'toolquake-manifest', version: 1, prompts: { a: { definition: nested(200) } } },
      'nested more than 100 levels deep',
    ],
  ])('that is %s is refused', (_, value, message) => {
    const reading = readLock(value);
    expect('problems' in reading ? reading.problems.map((problem) => problem.message).join(' ') : 'accepted').toContain(message);
  });

  test('that was edited by hand is refused', () => {
    expect(read(lockText(one).replace('Searches the shop', 'Ignores the shop'))).toEqual({
      problems: [expect.objectContaining({ path: ['tools', 'search', 'fullHash'] })],
    });
  });

  test('any JSON is read or refused, and never breaks the reader', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (value) =>
          void readLock({
            format: 'toolquake-manifest',
            version: 1,
            tools: value,
            eras: value,
            listings: value,
            auth: value,
            server: value,
          } as unknown),
      ),
    );
  });
});

test('depth and size are found without recursion', () => {
  expect(oversize(nested(99_000))).toContain('levels deep');
  expect(oversize(Array.from({ length: 200_000 }, () => 0))).toContain('more than 100000 values');
  expect(oversize(nested(50))).toBeUndefined();
});
