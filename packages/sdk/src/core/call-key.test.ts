import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callKey, canonicalJson } from './call-key.js';
import { frameFromBytes, frameFromMessage } from './frame.js';

const call = (name: string, args: unknown): string =>
  callKey(frameFromMessage('to-server', { id: 1, method: 'tools/call', params: { name, arguments: args } }));

/** The same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  );
}

// JSON cannot tell -0 from 0.
const anyJson = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

test('is equal for equal calls whatever the order of the members', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(call('search', reversed(value))).toBe(call('search', value));
    }),
  );
});

test('differs for different arguments and for different tools', () => {
  // What can be read back has lost nothing.
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(value);
    }),
  );
  expect(call('search', {})).not.toBe(call('fetch', {}));
  expect(call('search', { n: 1 })).not.toBe(call('search', { n: '1' }));
});

test('has a key for what has no arguments, and for what is no message', () => {
  expect(call('search', undefined)).toBe('search null');
  expect(callKey(undefined)).toBe('');
  expect(callKey(frameFromBytes('to-server', new Uint8Array([0xff])))).toBe('');
});

test('survives arguments nested deeper than the stack', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  expect(call('search', deep).length).toBeLessThan(1000);
});
