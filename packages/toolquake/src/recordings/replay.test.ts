import { createManualClock } from '@toolquake/sdk/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRecorder } from './recorder.js';
import type { RecordingLine } from './recording-line.js';
import { createReplay, type Outlet, type ReplayOptions } from './replay.js';
import { createSceneBook } from './scene-book.js';

const SILENT: Outlet = { begin() {}, say() {}, answer() {}, reply() {}, cut() {}, accept() {} };

type Turn = readonly [atMs: number, who: 'client' | 'server', message: unknown];

function recorded(turns: readonly Turn[]): RecordingLine[] {
  const clock = createManualClock();
  const lines: RecordingLine[] = [];
  const record = createRecorder({ clock, transport: 'stdio', run: 'r', startedAt: '', append: (line) => lines.push(line) });
  for (const [atMs, who, message] of turns) {
    clock.advance(atMs - clock.nowMs());
    record({ direction: who === 'client' ? 'to-server' : 'to-client', bytes: Buffer.from(JSON.stringify(message)) });
  }
  return lines;
}

function replaying(turns: readonly Turn[], change: Partial<ReplayOptions> = {}) {
  const clock = createManualClock();
  const told: string[] = [];
  const heard: unknown[] = [];
  const book = createSceneBook(recorded(turns));
  const replay = createReplay({ book, clock, timing: 'none', exhausted: 'repeat', tell: (line) => told.push(line), ...change });
  const hear = (text: string): void => void heard.push(JSON.parse(text));
  const connection = replay.connect(hear);
  const outlet = { ...SILENT, say: hear, answer: hear };
  return {
    clock,
    told,
    replay,
    ask: (message: unknown): unknown[] => (heard.splice(0), connection.receive(message, outlet), heard),
    heard,
  };
}

const call = (id: unknown, text: string, meta?: object) => ({
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text }, ...(meta === undefined ? {} : { _meta: meta }) },
});

test('answers in recorded order, repeats the last answer, and says so once', () => {
  const { ask, told } = replaying([
    [0, 'client', call(1, 'a')],
    [1, 'server', { id: 1, result: 'first' }],
    [2, 'client', call(2, 'a')],
    [3, 'server', { id: 2, error: { code: -32000, message: 'second' } }],
  ]);
  expect(ask(call('x', 'a'))).toEqual([{ id: 'x', result: 'first' }]);
  for (const id of [0, 'y', 3]) expect(ask(call(id, 'a'))).toEqual([{ id, error: { code: -32000, message: 'second' } }]);
  expect(told).toEqual(['tools/call "echo" was asked more often than recorded: its last answer is repeated.']);
});

test('gives an error instead when it is told to', () => {
  const turns: Turn[] = [
    [0, 'client', call(1, 'a')],
    [1, 'server', { id: 1, result: 'first' }],
  ];
  const { ask, replay } = replaying(turns, { exhausted: 'error' });
  ask(call(1, 'a'));
  expect(ask(call(2, 'a'))).toEqual([{ jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'Invalid params' } }]);
  expect(replay.unmatched).toBe(1);
});

test("sends notifications before the answer, under the asker's own token, and no progress to who wants none", () => {
  const { ask } = replaying([
    [0, 'client', call(1, 'a', { progressToken: 'p' })],
    [1, 'server', { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } }],
    [2, 'server', { method: 'notifications/message', params: { data: 'log' } }],
    [3, 'server', { id: 1, result: 'done' }],
  ]);
  const log = { method: 'notifications/message', params: { data: 'log' } };
  expect(ask(call(9, 'a', { progressToken: 5, trace: 'other' }))).toEqual([
    { method: 'notifications/progress', params: { progressToken: 5, progress: 1 } },
    log,
    { id: 9, result: 'done' },
  ]);
  expect(ask(call(10, 'a'))).toEqual([log, { id: 10, result: 'done' }]);
});

test('asks the client what the server asked, and waits for its answer where the server waited', () => {
  const { ask, heard } = replaying([
    [0, 'client', call(1, 'a')],
    [1, 'server', { id: 1, method: 'sampling/createMessage', params: {} }],
    [2, 'client', { id: 1, result: 'sampled' }],
    [3, 'server', { id: 1, result: 'done' }],
  ]);
  expect(ask(call(7, 'a'))).toEqual([{ id: 1, method: 'sampling/createMessage', params: {} }]);
  expect(ask(call(8, 'a'))).toEqual([{ id: '1-2', method: 'sampling/createMessage', params: {} }]);
  expect(ask({ id: '1-2', result: 'other' })).toEqual([{ id: 8, result: 'done' }]);
  expect(ask({ id: 1, result: 'other' })).toEqual([{ id: 7, result: 'done' }]);
  expect(heard).toHaveLength(1);
});

test('takes as long as the server took when the timing is original, and stops for a cancel', () => {
  const turns: Turn[] = [
    [0, 'client', call(1, 'a')],
    [40, 'server', { method: 'notifications/message', params: {} }],
    [100, 'server', { id: 1, result: 'done' }],
  ];
  const { ask, clock, heard } = replaying(turns, { timing: 'original' });
  expect(ask(call(1, 'a'))).toEqual([]);
  clock.advance(39);
  expect(heard).toEqual([]);
  clock.advance(1);
  expect(heard).toHaveLength(1);
  clock.advance(60);
  expect(heard).toHaveLength(2);
  ask(call(2, 'a'));
  clock.advance(50);
  ask({ method: 'notifications/cancelled', params: { requestId: 2 } });
  clock.advance(100);
  expect(heard).toEqual([]);
  expect(clock.waiting).toBe(0);
});

test('answers the handshake whoever the client is, and ping always', () => {
  const initialize = (id: number, name: string, protocolVersion: string) => ({
    id,
    method: 'initialize',
    params: { protocolVersion, clientInfo: { name }, capabilities: {} },
  });
  const { ask } = replaying([
    [0, 'client', initialize(0, 'recorded', '2025-06-18')],
    [1, 'server', { id: 0, result: { protocolVersion: '2025-06-18' } }],
  ]);
  expect(ask(initialize(4, 'other', '2025-11-25'))).toEqual([{ id: 4, result: { protocolVersion: '2025-06-18' } }]);
  expect(ask({ id: 5, method: 'ping' })).toEqual([{ jsonrpc: '2.0', id: 5, result: {} }]);
});

test('names the nearest that was recorded for a request that was not', () => {
  const turns: Turn[] = [
    [0, 'client', call(1, 'a')],
    [1, 'server', { id: 1, result: 'first' }],
  ];
  const { ask, told, replay } = replaying(turns);
  expect(ask({ id: 1, method: 'tools/lost' })).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  ask({ id: 2, method: 'tools/call', params: { name: 'ecko' } });
  ask(call(3, 'b'));
  expect(told).toEqual([
    'no recorded answer for tools/lost: nothing like it was recorded.',
    'no recorded answer for tools/call "ecko": the nearest that was recorded is "echo".',
    'no recorded answer for tools/call "echo": it was recorded with other parameters only.',
  ]);
  expect(replay.unmatched).toBe(3);
});

test('gives the same client the same answers, whatever was said and whichever ids it uses now', () => {
  const outcome = fc.oneof(
    fc.record({ result: fc.jsonValue() }),
    fc.record({ error: fc.record({ code: fc.integer(), message: fc.string() }) }),
  );
  const exchange = fc.record({ text: fc.constantFrom('a', 'b', 'c'), notes: fc.array(fc.integer(), { maxLength: 3 }), outcome });
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 12 }), fc.boolean(), (exchanges, isString) => {
      const said = exchanges.map(({ notes, outcome: one }, index) => [
        ...notes.map((data) => ({ method: 'notifications/message', params: { data } })),
        { id: index, ...one },
      ]);
      const turns = exchanges.flatMap(({ text }, index): Turn[] => [
        [index, 'client', call(index, text)],
        ...said[index]!.map((message): Turn => [index, 'server', message]),
      ]);
      // What a recording keeps has no secrets; the rest must come back as it was.
      const kept = createSceneBook(recorded(turns));
      expect(kept.unanswered).toBe(0);
      const { ask, replay } = replaying(turns);
      exchanges.forEach(({ text }, index) => {
        const id = isString ? `id-${index}` : index + 1000;
        const [answer, ...notes] = ask(call(id, text)).toReversed() as { id: unknown }[];
        const [expected, ...expectedNotes] = recorded([
          [0, 'server', said[index]!.at(-1)],
          ...said[index]!.slice(0, -1)
            .toReversed()
            .map((one): Turn => [0, 'server', one]),
        ])
          .slice(1)
          .map((line) => JSON.parse('message' in line ? (line.message ?? '') : '') as { id: unknown });
        expect({ ...answer, id: 0 }).toEqual({ ...expected, id: 0 });
        expect(answer?.id).toBe(id);
        expect(notes).toEqual(expectedNotes);
      });
      expect(replay.unmatched).toBe(0);
    }),
  );
});

test('answers with an error where the recorded answer was too large', () => {
  const lines = recorded([[0, 'client', call(1, 'a')]]);
  lines.push({ v: 1, atMs: 1, session: 'r', direction: 'to-client', note: 'too large', id: 1 });
  const heard: string[] = [];
  const replay = createReplay({
    book: createSceneBook(lines),
    clock: createManualClock(),
    timing: 'none',
    exhausted: 'repeat',
    tell: () => {},
  });
  replay.connect(() => {}).receive(call(5, 'a'), { ...SILENT, answer: (text) => heard.push(text) });
  expect(heard).toEqual(['{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"Internal error"}}']);
});
