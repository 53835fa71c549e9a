/** Conversations over HTTP that overlap, through the recorder and back out of a replay. */
import { createManualClock } from '@toolquake/sdk/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHttpRecorder } from './http-recorder.js';
import { parseRecordingLine, recordingText, type RecordingLine } from './recording-line.js';
import { createReplay, type Outlet } from './replay.js';
import { createSceneBook } from './scene-book.js';

/** Every line goes through its text, as it would through a file. */
const recorderInto = (lines: RecordingLine[]) =>
  createHttpRecorder({
    clock: createManualClock(),
    transport: 'http',
    run: 'r',
    startedAt: '',
    append: (line) => void lines.push(parseRecordingLine(recordingText(line)) as RecordingLine),
    endpointOf: () => undefined,
  });

type Form = 'json' | 'stream' | 'status' | 'refused';
type Planned = {
  readonly text: string;
  readonly id: number | string;
  readonly notes: readonly number[];
  readonly form: Form;
  readonly value: unknown;
};

const planned: fc.Arbitrary<Planned> = fc.record({
  text: fc.constantFrom('a', 'b', 'c', 'd'),
  // Few ids: clients without sessions use the same ones at the same time.
  id: fc.constantFrom(0, 1, '1'),
  notes: fc.array(fc.nat(9), { maxLength: 3 }),
  form: fc.constantFrom<Form>('json', 'stream', 'status', 'refused'),
  value: fc.oneof(fc.nat(), fc.constantFrom('x', 'grüße', null, true), fc.array(fc.nat(99))),
});

const ask = ({ text, id }: Pick<Planned, 'text' | 'id'>) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text }, _meta: { progressToken: id } },
});
const progress = (progressToken: unknown, count: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: count },
});

/** What a client hears: progress (in streams), then the answer or the status. */
function heardBy({ id, notes, form, value }: Planned): unknown[] {
  if (form === 'status') return [503];
  if (form === 'refused') return [{ jsonrpc: '2.0', id, error: { code: -32602, message: 'no', data: value } }];
  return [...(form === 'stream' ? notes.map((count) => progress(id, count)) : []), { jsonrpc: '2.0', id, result: value }];
}

/** Records all exchanges at once; `order` says who is answered when. */
function recordAll(plans: readonly Planned[], order: readonly number[]): RecordingLine[] {
  const lines: RecordingLine[] = [];
  const record = recorderInto(lines);
  const exchanges = plans.map((plan) => {
    const exchange = record({ method: 'POST', path: '/mcp', sessionId: undefined });
    exchange.ask(Buffer.from(JSON.stringify(ask(plan))));
    exchange.ask();
    return exchange;
  });
  const ranked = plans.map((_, index) => index).toSorted((a, b) => (order[a] ?? 0) - (order[b] ?? 0) || a - b);
  const begin = (index: number): void => {
    const status = { json: 200, stream: 200, status: 503, refused: 400 }[plans[index]!.form];
    const type = { json: 'application/json', stream: 'text/event-stream', status: 'text/html', refused: 'application/json' }[
      plans[index]!.form
    ];
    exchanges[index]!.begin({ status, headers: ['Content-Type', type] });
  };
  for (const index of ranked) begin(index);
  for (const index of ranked.toReversed()) {
    const plan = plans[index]!;
    if (plan.form === 'status') exchanges[index]!.answer(Buffer.from('<h1>Down</h1>'));
    else if (plan.form !== 'stream') exchanges[index]!.answer(Buffer.from(JSON.stringify(heardBy(plan)[0])));
    else for (const one of heardBy(plan)) exchanges[index]!.answer(Buffer.from(`data: ${JSON.stringify(one)}\n\n`));
    exchanges[index]!.end();
  }
  return lines;
}

test('the same script gets the same, whatever overlapped, whichever ids it uses now, in the form that it had', () => {
  fc.assert(
    fc.property(fc.array(planned, { maxLength: 10 }), fc.array(fc.nat(5), { maxLength: 10 }), (plans, order) => {
      const book = createSceneBook(recordAll(plans, order));
      expect(book.unanswered).toBe(0);
      const replay = createReplay({ book, clock: createManualClock(), timing: 'none', exhausted: 'error', tell: () => {} });
      plans.forEach((plan, index) => {
        const heard: unknown[] = [];
        const note = (text: string): void => void heard.push(JSON.parse(text));
        let form: unknown;
        const outlet: Outlet = {
          begin: (given) => void (form = given),
          accept() {},
          cut() {},
          say: note,
          answer: note,
          reply: ({ status, body }) => void heard.push(body === '<h1>Down</h1>' ? status : body),
        };
        const now = { ...plan, id: `now-${index}` };
        replay.connect(() => {}).receive(ask(now), outlet);
        expect(heard).toEqual(heardBy(now));
        expect(form).toMatchObject({
          isStream: plan.form === 'stream',
          status: { json: 200, stream: 200, status: 503, refused: 400 }[plan.form],
        });
      });
      expect(replay.unmatched).toBe(0);
    }),
    { numRuns: 80 },
  );
});

test('news of a subscription comes when the client does what it came after, to whoever is subscribed now', () => {
  const lines: RecordingLine[] = [];
  const record = recorderInto(lines);
  const post = (message: unknown) => {
    const exchange = record({ method: 'POST', path: '/mcp', sessionId: undefined });
    exchange.ask(Buffer.from(JSON.stringify(message)));
    exchange.ask();
    exchange.begin({ status: 200, headers: ['content-type', 'text/event-stream'] });
    return exchange;
  };
  const tag = (id: unknown) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
  const event = (message: unknown): Buffer => Buffer.from(`data: ${JSON.stringify(message)}\n\n`);
  const listen = (id: unknown) => ({ id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } });
  const stream = post(listen(1));
  stream.answer(event({ method: 'notifications/subscriptions/acknowledged', params: tag(1) }));
  const calling = post(ask({ text: 'a', id: 2 }));
  calling.answer(event({ id: 2, result: {} }));
  calling.end();
  stream.answer(event({ method: 'notifications/tools/list_changed', params: tag(1) }));
  stream.end('client');

  const replay = createReplay({
    book: createSceneBook(lines),
    clock: createManualClock(),
    timing: 'none',
    exhausted: 'repeat',
    tell: () => {},
  });
  const heard: unknown[] = [];
  const outlet = (): Outlet => ({
    begin() {},
    accept() {},
    cut() {},
    reply() {},
    say: (text) => void heard.push(JSON.parse(text)),
    answer: () => void heard.push('answer'),
  });
  const connection = replay.connect(() => {});
  const subscriber = outlet();
  connection.receive(listen('mine'), subscriber);
  expect(heard.splice(0)).toEqual([{ method: 'notifications/subscriptions/acknowledged', params: tag('mine') }]);
  replay.connect(() => {}).receive(ask({ text: 'a', id: 9 }), outlet());
  expect(heard.splice(0)).toEqual(['answer', { method: 'notifications/tools/list_changed', params: tag('mine') }]);
  connection.hangUp(subscriber);
  replay.connect(() => {}).receive(ask({ text: 'a', id: 10 }), outlet());
  expect(heard).toEqual(['answer']);
});

test('an exchange over HTTP is recorded alike however its bytes are cut', () => {
  const events =
    'id: 1\ndata:\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"grüße"}}\n\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\r\n\r\n';
  const recordWith = (cuts: readonly number[]): RecordingLine[] => {
    const lines: RecordingLine[] = [];
    const record = recorderInto(lines);
    const exchange = record({ method: 'POST', path: '/mcp', sessionId: undefined });
    const feed = (bytes: Buffer, take: (piece: Uint8Array) => void): void => {
      const points = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
      points.slice(1).forEach((to, index) => take(bytes.subarray(points[index], to)));
    };
    feed(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ü"}}'), (piece) => exchange.ask(piece));
    exchange.ask();
    exchange.begin({ status: 200, headers: ['content-type', 'text/event-stream'] });
    feed(Buffer.from(events), (piece) => exchange.answer(piece));
    exchange.end();
    return lines;
  };
  const whole = recordWith([]);
  expect(whole).toHaveLength(5);
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 12 }), (cuts) => {
      expect(recordWith(cuts)).toEqual(whole);
    }),
  );
});
