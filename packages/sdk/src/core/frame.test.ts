import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editFrame, frameBytes, frameFromBytes, frameFromMessage, frameHead, frameMessage, frameObject } from './frame.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

test('keeps the very same bytes object while nobody edits it, whatever the bytes and whoever looks inside', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.boolean(), (bytes, isOpaque) => {
      const frame = frameFromBytes('to-client', bytes, isOpaque);
      const before = Uint8Array.from(bytes);
      frameHead(frame);
      frameMessage(frame);
      expect(frameBytes(frame)).toBe(bytes);
      expect(bytes).toEqual(before);
    }),
  );
});

test('says the same about a message whether it came as bytes or as an object, parsed or not', () => {
  const anyMessage = fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
      method: fc.constantFrom('tools/call', 'ping', ''),
      params: fc.oneof(fc.record({ name: fc.string(), arguments: fc.jsonValue() }), fc.jsonValue()),
      result: fc.jsonValue(),
      error: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyMessage, (message) => {
      const made = frameFromMessage('to-server', message);
      const unread = frameFromBytes('to-server', encoder.encode(JSON.stringify(message)));
      const parsed = frameFromBytes('to-server', encoder.encode(JSON.stringify(message)));
      frameMessage(parsed);
      expect(frameHead(unread)).toEqual(frameHead(made));
      expect(frameHead(parsed)).toEqual(frameHead(made));
      expect(frameHead({ ...made, head: undefined, bytes: frameBytes(made) })).toEqual(frameHead(made));
    }),
  );
});

test.each([
  ['text that is no JSON', encoder.encode('hello')],
  ['JSON that breaks off', encoder.encode('{"jsonrpc":"2.0","id":1,"method":"ping"')],
  ['garbage after the message', encoder.encode('{"jsonrpc":"2.0","id":1,"method":"ping"}}')],
  ['a byte order mark', encoder.encode('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}')],
  ['no bytes at all', new Uint8Array(0)],
])('takes %s for something else than a message', (_name, bytes) => {
  const frame = frameFromBytes('to-server', bytes);
  expect(frameHead(frame)).toMatchObject({ kind: 'other', id: undefined, method: undefined });
  expect(frameMessage(frame)).toBeUndefined();
  expect(frameObject(frame)).toBeUndefined();
});

test('does not repair invalid UTF-8: the message is unreadable, the bytes stay', () => {
  const bytes = Uint8Array.from([...encoder.encode('{"a":"'), 0xff, 0xfe, ...encoder.encode('"}')]);
  const frame = frameFromBytes('to-server', bytes);
  expect(frameMessage(frame)).toBeUndefined();
  expect(frameBytes(frame)).toBe(bytes);
});

test('reads the head of an opaque frame from its prefix and never parses it', () => {
  const frame = frameFromBytes('to-client', encoder.encode('{"id":3,"result":{"content":"aaaa'), true);
  expect(frameHead(frame)).toMatchObject({ kind: 'response', id: 3, isComplete: false });
  expect(frameMessage(frame)).toBeUndefined();
});

test('edits a copy: the original keeps its bytes and its message', () => {
  const bytes = encoder.encode('{ "id": 1, "result": {} }');
  const frame = frameFromBytes('to-client', bytes);
  const edited = editFrame(frame, { id: 1, result: { content: [] } });
  expect(decoder.decode(frameBytes(edited))).toBe('{"id":1,"result":{"content":[]}}');
  expect(edited.direction).toBe('to-client');
  expect(frameBytes(frame)).toBe(bytes);
  expect(frameMessage(frame)).toEqual({ id: 1, result: {} });
});

test('serialises a made message once', () => {
  const frame = frameFromMessage('to-server', { id: 1 });
  expect(frameBytes(frame)).toBe(frameBytes(frame));
});
