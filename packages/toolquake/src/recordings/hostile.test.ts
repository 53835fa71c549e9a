/** What anybody may put into a recording, or say to a replay; and what nobody may find in a recording. */
import { createManualClock } from '@toolquake/sdk/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHttpRecorder } from './http-recorder.js';
import { createRecorder } from './recorder.js';
import { isTornLine, isTraffic, parseRecordingLine, recordingText, type RecordingLine } from './recording-line.js';
import { createReplay, type Outlet } from './replay.js';
import { createSceneBook } from './scene-book.js';

type Heard = { readonly texts: string[]; readonly outlet: Outlet };

function listener(): Heard {
  const texts: string[] = [];
  const note = (text: string): void => void texts.push(text);
  const outlet: Outlet = {
    begin() {},
    accept() {},
    say: note,
    answer: note,
    reply: ({ status }) => note(`${status}`),
    cut: () => note('cut'),
  };
  return { texts, outlet };
}

/** Plays everything that a book has, and some that it has not. */
function playAll(lines: readonly RecordingLine[], extra: readonly unknown[] = []): string[] {
  const book = createSceneBook(lines);
  const clock = createManualClock();
  const replay = createReplay({ book, clock, timing: 'original', exhausted: 'repeat', tell: () => {} });
  const { texts, outlet } = listener();
  const connection = replay.connect((text) => texts.push(text));
  connection.open();
  for (const line of lines) if (isTraffic(line) && line.message !== undefined) connection.receive(JSON.parse(line.message), outlet);
  for (const message of extra) connection.receive(message, outlet);
  clock.advance(1e9);
  connection.hangUp(outlet);
  replay.stop();
  for (const path of book.pages.endpoints()) book.pages.take('GET', path);
  return texts;
}

const id = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('a', '0', null));
const message = fc.oneof(
  fc.record(
    { id, method: fc.constantFrom('tools/call', 'subscriptions/listen', 'initialize'), params: fc.jsonValue() },
    { requiredKeys: ['method'] },
  ),
  fc.record({
    method: fc.constantFrom('notifications/cancelled', 'notifications/x'),
    params: fc.record({ requestId: id, progressToken: id }),
  }),
  fc.record({ id, result: fc.jsonValue() }),
  fc.record({ id, error: fc.jsonValue() }),
  fc.jsonValue(),
);
const line = fc.record(
  {
    v: fc.constant(1),
    kind: fc.constantFrom(undefined, undefined, undefined, 'start', 'http', 'end', 'announcement', 'odd'),
    atMs: fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.jsonValue()),
    session: fc.constantFrom('r', 'r/1', 'q', ''),
    direction: fc.constantFrom('to-server', 'to-client'),
    message: fc.oneof({ weight: 5, arbitrary: fc.oneof(message, fc.array(message)).map((value) => JSON.stringify(value)) }, fc.jsonValue()),
    exchange: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.jsonValue()),
    method: fc.constantFrom('GET', 'POST', 'DELETE'),
    path: fc.constantFrom('/mcp', '/sse', '/x?y'),
    status: fc.oneof(fc.constantFrom(200, 202, 401, 404, 500), fc.jsonValue()),
    headers: fc.oneof(fc.constant({ 'content-type': 'text/event-stream' }), fc.constant({}), fc.jsonValue()),
    body: fc.oneof(fc.string(), fc.jsonValue()),
    by: fc.constantFrom('server', 'client'),
    opensSession: fc.boolean(),
    note: fc.constantFrom(undefined, 'too large'),
    id: fc.oneof(id, fc.jsonValue()),
  },
  { requiredKeys: ['v', 'session', 'atMs'] },
);

test('any line is read or refused with a reason, and whatever is read can be replayed', () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.array(fc.jsonValue(), { maxLength: 4 }), (values, extra) => {
      const lines = values.map((value) => parseRecordingLine(JSON.stringify(value)));
      for (const one of lines) if (typeof one === 'string') expect(one).toMatch(/^(is|has|needs) /);
      const good = lines.filter((one): one is RecordingLine => typeof one !== 'string');
      read += good.length;
      for (const text of playAll(good, extra)) expect(text).not.toBe('');
    }),
    { numRuns: 150 },
  );
  expect(read).toBeGreaterThan(100);
});

const bytes = fc.uint8Array({ maxLength: 40 });

test('any text is read or refused, and only the beginning of a line counts as torn', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        bytes.map((all) => Buffer.from(all).toString()),
        fc.json({ maxDepth: 2 }),
      ),
      (text) => {
        const read = parseRecordingLine(text);
        if (typeof read === 'string') expect(read.length).toBeGreaterThan(0);
        if (!'{"v":1,'.startsWith(text) && !text.startsWith('{"v":1,')) expect(isTornLine(text)).toBe(false);
      },
    ),
  );
  const whole = recordingText({ v: 1, atMs: 1, session: 'r', direction: 'to-server', message: '{"id":1,"method":"ping"}' }).trimEnd();
  for (let length = 0; length < whole.length; length++) expect(isTornLine(whole.slice(0, length))).toBe(true);
  expect(isTornLine(whole)).toBe(false);
  expect(isTornLine('{"v":2}')).toBe(false);
});

/** Shapes of secrets, each with characters that no other text here has. */
const letters = fc.string({
  unit: fc.constantFrom(...'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'.split('')),
  minLength: 24,
  maxLength: 48,
});
const secret = fc.oneof(
  letters.map((text) => ({ text: `sk-${text}`, plain: `sk-${text}` })),
  letters.map((text) => ({ text: `ghp_${text}`, plain: `ghp_${text}` })),
  letters.map((text) => ({ text: `Bearer ${text}`, plain: text })),
  letters.map((text) => ({ text: `xoxb-${text}`, plain: text })),
  letters.map((text) => ({ text: `eyJ${text}.${text}.${text}`, plain: text })),
  letters.map((text) => ({ text: `https://bob:${text}@db.example/x`, plain: text })),
  letters.map((text) => ({ text: `API_TOKEN=${text}`, plain: text })),
  letters.map((text) => ({ text: `{"nested":{"password":"${text}"}}`, plain: text })),
);

/** Everywhere in a message where a value can be. */
function planted(text: string, named: string): unknown[] {
  return [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: { deep: [{ value: text }], password: named } } },
    { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: `first\n${text}\nlast` }], structuredContent: { apiKey: named } } },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: `no: ${text}`, data: { secret: { inner: named } } } },
    { jsonrpc: '2.0', id: 1, result: { contents: [{ uri: 'file:///x', blob: Buffer.from(`a\n${text}`).toString('base64') }] } },
    { jsonrpc: '2.0', method: 'notifications/message', params: { data: text } },
    [{ jsonrpc: '2.0', id: 1, method: 'x', params: { token: named } }],
  ];
}

const holds = (file: string, secretText: string): boolean => {
  if (file.includes(secretText)) return true;
  const blobs = file.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? [];
  return blobs.some((blob) => Buffer.from(blob, 'base64').toString().includes(secretText));
};

test('no secret reaches the file, wherever in messages, headers and addresses it is', () => {
  fc.assert(
    fc.property(secret, letters, ({ text, plain }, named) => {
      const lines: RecordingLine[] = [];
      const options = { clock: createManualClock(), run: 'r', startedAt: '', append: (one: RecordingLine) => void lines.push(one) };
      const record = createRecorder({ ...options, transport: 'stdio' });
      for (const one of planted(text, named)) {
        record({ direction: 'to-server', bytes: Buffer.from(JSON.stringify(one)) });
        record({ direction: 'to-client', bytes: Buffer.from(`no json: ${text}`) });
      }
      const recordHttp = createHttpRecorder({ ...options, transport: 'http', endpointOf: () => undefined });
      const path = `/mcp/${encodeURIComponent(text)}?api_key=${named}&q=${encodeURIComponent(text)}`;
      for (const one of planted(text, named)) {
        for (const [status, type] of [
          [200, 'application/json'],
          [200, 'text/event-stream'],
          [401, 'text/html'],
        ] as const) {
          const exchange = recordHttp({ method: 'POST', path, sessionId: named });
          exchange.ask(Buffer.from(JSON.stringify(one)));
          exchange.ask();
          const challenge = `Bearer realm="x", access_token="${named}", error="${text.replaceAll('"', '')}"`;
          const headers = ['Content-Type', type, 'Mcp-Session-Id', named, 'Set-Cookie', `a=${text}`, 'Authorization', text];
          exchange.begin({ status, headers: [...headers, 'WWW-Authenticate', challenge, 'Location', `https://x.example${path}`] });
          const data = JSON.stringify(one);
          exchange.answer(Buffer.from(type === 'text/event-stream' ? `data: ${data}\n\n` : type === 'text/html' ? `<p>${text}</p>` : data));
          exchange.end();
        }
      }
      const file = lines.map(recordingText).join('');
      expect(lines.length).toBeGreaterThan(20);
      expect(holds(file, plain)).toBe(false);
      expect(holds(file, named)).toBe(false);
    }),
    { numRuns: 60 },
  );
});
