import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventFramer, eventData, eventOpening, eventPayload, joinBytes, encodeEvent, EVENT_END } from './event-stream.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined): string | undefined => (bytes === undefined ? undefined : new TextDecoder().decode(bytes));

function split(chunks: readonly Uint8Array[], maxBytes = 1024): { texts: string[]; joined: Uint8Array; parts: string[] } {
  const splitter = createEventFramer(maxBytes);
  const blocks = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...[splitter.end() ?? []].flat()];
  return {
    texts: blocks.map(({ bytes }) => textOf(bytes)!),
    joined: joinBytes(blocks.map(({ bytes }) => bytes)),
    parts: blocks.map(({ part }) => part),
  };
}

/** Text that is rich in what matters here. */
const streamText = fc.array(
  fc.constantFrom('data: {"a":1}', 'data:', 'id: 7', ': note', 'é', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\ufeff'),
  { maxLength: 40 },
);

describe('createEventFramer', () => {
  test('joined blocks are the stream again, for any bytes, any chunking and any limit', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          streamText.map((parts) => bytesOf(parts.join(''))),
          fc.uint8Array({ maxLength: 200 }),
        ),
        fc.array(fc.nat(200)),
        fc.integer({ min: 1, max: 64 }),
        (bytes, cuts, limit) => {
          expect(split(chunked(bytes, cuts), limit).joined).toEqual(bytes);
        },
      ),
    );
  });

  test('finds the same payloads whatever the chunking', () => {
    fc.assert(
      fc.property(streamText, fc.array(fc.nat(200)), (parts, cuts) => {
        const bytes = bytesOf(parts.join(''));
        const payloads = (texts: string[]): (string | undefined)[] =>
          texts.map((text) => textOf(eventData(bytesOf(text)))).filter((data) => data !== undefined);
        const whole = createEventFramer(1024)
          .push(bytes)
          .map((block) => textOf(block.bytes)!);
        const splitter = createEventFramer(1024);
        const pieces = chunked(bytes, cuts)
          .flatMap((chunk) => splitter.push(chunk))
          .map((block) => textOf(block.bytes)!);
        expect(payloads(pieces)).toEqual(payloads(whole));
      }),
    );
  });

  test.each(['\n', '\r\n', '\r'])('ends a block at a blank line made of %j', (end) => {
    const stream = [`data: 1${end}${end}`, `id: 2${end}data: 2${end}${end}`];
    expect(split([bytesOf(stream.join(''))]).texts).toEqual(stream);
  });

  test('gives out a block as soon as its blank line is there, also before the LF of a CR LF', () => {
    const splitter = createEventFramer(1024);
    expect(splitter.push(bytesOf('data: 1\r\n\r')).map(({ bytes }) => textOf(bytes))).toEqual(['data: 1\r\n\r']);
    expect(splitter.push(bytesOf('\ndata: 2\r\n\r\n')).map(({ bytes }) => textOf(eventData(bytes)))).toEqual(['2']);
  });

  test('passes a block over the limit in pieces', () => {
    const { parts, texts } = split([bytesOf('data: 123456'), bytesOf('789'), bytesOf('0\n\ndata: 1\n\n')], 8);
    expect(parts).toEqual(['start', 'more', 'end', 'whole']);
    expect(texts.at(-1)).toBe('data: 1\n\n');
  });
});

describe('payloads', () => {
  test('joins data lines and ignores comments and priming events', () => {
    expect(textOf(eventData(bytesOf('data: {\ndata: }\n\n')))).toBe('{\n}');
    expect(eventData(bytesOf('id: 1\ndata: \n\n'))).toBeUndefined();
    expect(eventData(bytesOf(': keepalive\n\n'))).toBeUndefined();
    expect(eventData(bytesOf('database: 1\n\n'))).toBeUndefined();
  });

  test('keeps id, event and retry when the payload changes', () => {
    const block = bytesOf('event: message\r\nid: 9\r\ndata: old\r\ndata: old\r\nretry: 5\r\n\r\n');
    expect(textOf(encodeEvent(bytesOf('new'), block))).toBe('event: message\nid: 9\nretry: 5\ndata: new\n\n');
  });

  test('slices of a payload make the payload again, wherever they are cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\r') && text !== ' '),
        fc.array(fc.nat(60)),
        (text, cuts) => {
          const slices = chunked(bytesOf(text), cuts).map(eventPayload);
          const block = joinBytes([eventOpening(undefined), ...slices, EVENT_END]);
          expect(textOf(eventData(block))).toBe(text);
        },
      ),
    );
  });
});

function chunked(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].toSorted((a, b) => a - b);
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

test.each([
  ['data: one\n\n', 'one'],
  ['data:one\r\ndata: two\r\n\r\n', 'one\ntwo'],
  ['\ufeffid: 1\ndata: x\n\n', 'x'],
  ['\n\ufeffdata: x\n\n', 'x'],
  ['id: 3\ndata:\n\n', undefined],
  ['id: 3\ndata\n\n', undefined],
  ['database: x\n\n', undefined],
  ['data:  two spaces\n\n', ' two spaces'],
])('the payload of %j is %j', (block, data) => {
  expect(textOf(eventData(bytesOf(block)))).toBe(data);
});
