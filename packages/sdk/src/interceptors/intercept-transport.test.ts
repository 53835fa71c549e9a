import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Run } from '../controller/run.js';
import { startPlan } from '../controller/start-plan.js';
import { createManualClock } from '../testing/manual-clock.js';
import { interceptTransport } from './intercept-transport.js';

/** A transport that writes down what reaches it. Its state is private, as in transports that people write. */
class Wire {
  #isStarted = false;
  sent: { message: unknown; options: unknown }[] = [];
  closes = 0;
  sessionId = 'session-7';
  hasPerRequestStream = true;
  version: string | undefined;
  failure: Error | undefined;
  onmessage?: (message: unknown, extra?: unknown) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  get isStarted(): boolean {
    return this.#isStarted;
  }
  async start(): Promise<void> {
    this.#isStarted = true;
  }
  async send(message: unknown, options?: unknown): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.sent.push({ message, options });
  }
  async close(): Promise<void> {
    this.closes++;
    this.onclose?.();
  }
  setProtocolVersion(version: string): void {
    this.version = version;
  }
}

type Rig = {
  run: Run;
  wire: Wire;
  transport: Wire;
  got: { message: unknown; extra: unknown }[];
  heard: string[];
  clock: ReturnType<typeof createManualClock>;
};

function rig(rules: readonly object[] = [], isAllowed = true): Rig {
  const clock = createManualClock();
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => isAllowed, clock });
  const wire = new Wire();
  const { transport } = interceptTransport(run, wire);
  const got: Rig['got'] = [];
  const heard: string[] = [];
  transport.onmessage = (message, extra) => void got.push({ message, extra });
  transport.onclose = () => void heard.push('close');
  transport.onerror = (error) => void heard.push(error.message);
  return { run, wire, transport, got, heard, clock };
}

const call = (id: number): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pay', arguments: {} } });
const result = (id: number): object => ({ jsonrpc: '2.0', id, result: { content: [] } });

describe('an intercepted transport', () => {
  test('has everything that the other has, private members included', async () => {
    const { transport, wire } = rig();
    await transport.start();
    expect([transport.isStarted, transport.sessionId, transport.hasPerRequestStream]).toEqual([true, 'session-7', true]);
    transport.setProtocolVersion('2025-11-25');
    transport.sessionId = 'session-8';
    expect([wire.version, wire.sessionId, 'setSupportedProtocolVersions' in transport]).toEqual(['2025-11-25', 'session-8', false]);
    expect(transport).toBeInstanceOf(Wire);
    expect(transport.constructor).toBe(Wire);
  });

  test('hands back the callbacks that it was given, so that layers can chain them', () => {
    const { transport } = rig();
    const first = transport.onmessage!;
    const seen: unknown[] = [];
    transport.onmessage = (message, extra) => {
      seen.push(message);
      first(message, extra);
    };
    expect(transport.onmessage).not.toBe(first);
  });

  test('keeps callbacks that were there before it', () => {
    const wire = new Wire();
    const seen: unknown[] = [];
    wire.onmessage = (message) => void seen.push(message);
    interceptTransport(startPlan({ rules: [] }, { isAllowed: () => true }), wire);
    wire.onmessage('hello');
    expect(seen).toEqual(['hello']);
  });

  test('closes once, whoever closes it', async () => {
    const { transport, wire, heard } = rig();
    await transport.close();
    wire.onclose?.();
    expect([wire.closes, heard]).toEqual([1, ['close']]);
    await expect(transport.send(call(1))).rejects.toThrow('Not connected');
  });

  test('a reset says why, then closes; nothing follows', async () => {
    const { transport, wire, heard, got, clock } = rig([{ fault: 'connection-drop', params: { how: 'reset', afterMs: 5 } }]);
    void transport.send(call(1));
    clock.advance(5);
    expect([heard, wire.closes, wire.sent]).toEqual([['read ECONNRESET', 'close'], 1, []]);
    wire.onmessage?.(result(1));
    expect(got).toEqual([{ message: result(1), extra: undefined }]);
  });

  test('options and extra stay with a message that is delayed or edited', async () => {
    const { transport, wire, got, clock } = rig([
      { fault: 'latency', params: { addedMs: 10, jitterMs: 0 } },
      { fault: 'empty-result', when: { tool: 'pay' } },
    ]);
    const options = { resumptionToken: 'x' };
    const extra = { authInfo: 'me' };
    void transport.send(call(1), options);
    clock.advance(10);
    expect(wire.sent).toEqual([{ message: call(1), options }]);
    expect(wire.sent[0]!.options).toBe(options);
    wire.onmessage?.({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'x' }] } }, extra);
    clock.advance(10);
    expect(got).toEqual([{ message: result(1), extra }]);
    expect(got[0]!.extra).toBe(extra);
  });

  test('a request that could not be sent in the end fails for whoever sent it', async () => {
    const { transport, wire, clock } = rig([{ fault: 'latency', params: { addedMs: 10, jitterMs: 0 }, phase: 'pre' }]);
    wire.failure = new Error('HTTP 502');
    const sending = expect(transport.send(call(1))).rejects.toThrow('HTTP 502');
    clock.advance(10);
    await sending;
  });

  test('a freeze keeps both ways back, in order, and a stop ends it', async () => {
    const { transport, wire, got, run } = rig([{ fault: 'freeze', params: { forMs: 1000 }, at: { first: 1 } }]);
    void transport.send(call(1));
    void transport.send(call(2));
    wire.onmessage?.({ jsonrpc: '2.0', method: 'notifications/message' });
    expect([wire.sent, got]).toEqual([[], []]);
    run.stop();
    expect(wire.sent.map(({ message }) => (message as { id: number }).id)).toEqual([1, 2]);
    expect(got).toHaveLength(1);
  });

  test('bytes that are no message come as an error, as from a real parser', () => {
    const { transport, wire, heard, got } = rig([{ fault: 'malformed-body' }]);
    void transport.send(call(1));
    wire.onmessage?.(result(1));
    expect(got).toEqual([]);
    expect(heard).toEqual([expect.stringContaining('not valid JSON')]);
  });

  test('a made-up notice on the server side finds the request that it belongs to', () => {
    const run = startPlan({ rules: [{ fault: 'list-changed-storm' }] }, { isAllowed: () => true, clock: createManualClock() });
    const wire = new Wire();
    interceptTransport(run, wire, { side: 'server' });
    wire.onmessage?.(call(7));
    expect(wire.sent[0]?.options).toEqual({ relatedRequestId: 7 });
  });
});

const anything = fc.oneof(
  fc.jsonValue(),
  fc.record({ jsonrpc: fc.constant('2.0'), id: fc.oneof(fc.nat(5), fc.string(), fc.constant(null)), method: fc.string() }),
  fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(5), result: fc.object() }),
  fc.nat(5).map(call),
  fc.nat(5).map(result),
  fc.record({ jsonrpc: fc.constant('2.0'), method: fc.constant('notifications/cancelled'), params: fc.record({ requestId: fc.nat(5) }) }),
);
const traffic = fc.array(fc.record({ isSent: fc.boolean(), message: anything }), { maxLength: 30 });

test.each([
  ['no rule matches', true],
  ['a guard refuses', false],
])('whatever passes is the very same object, in the same order, when %s', (_, isAllowed) => {
  fc.assert(
    fc.property(traffic, (messages) => {
      const { transport, wire, got } = rig(
        isAllowed ? [{ fault: 'error-response', when: { tool: 'nobody' } }] : [{ fault: 'hang' }],
        isAllowed,
      );
      for (const { isSent, message } of messages) {
        if (isSent) void transport.send(message);
        else wire.onmessage?.(message);
      }
      const there = messages.filter(({ isSent }) => isSent);
      const back = messages.filter(({ isSent }) => !isSent);
      expect(wire.sent.length + got.length).toBe(messages.length);
      there.forEach(({ message }, index) => expect(wire.sent[index]!.message).toBe(message));
      back.forEach(({ message }, index) => expect(got[index]!.message).toBe(message));
    }),
  );
});

test('under any rules and any stop nothing is lost for good, and nothing is injected afterwards', () => {
  const rules = fc.subarray([
    { fault: 'hang', probability: 0.5 },
    { fault: 'lost-ack', probability: 0.5 },
    { fault: 'latency', params: { addedMs: 10, jitterMs: 5 } },
    { fault: 'freeze', params: { forMs: 30 }, probability: 0.2 },
  ]);
  fc.assert(
    fc.property(rules, fc.integer({ min: 1, max: 12 }), fc.nat(12), (given, calls, stopAt) => {
      const { transport, wire, got, run, clock } = rig(given);
      for (let id = 1; id <= calls; id++) {
        if (id === stopAt) run.stop();
        void transport.send(call(id));
        clock.advance(7);
      }
      run.stop();
      const { length } = run.journal;
      const ids = wire.sent.map(({ message }) => (message as { id: number }).id);
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: calls }, (_, index) => index + 1));
      for (const id of ids) wire.onmessage?.(result(id));
      expect(got.map(({ message }) => message)).toEqual(ids.map(result));
      expect(run.journal).toHaveLength(length);
      expect(clock.waiting).toBe(0);
    }),
  );
});
