import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handClock } from '../core/fixtures/hand-clock.js';
import { createSignals, observeServer, type Signals } from './create-signals.js';

type Callback = ((...given: unknown[]) => unknown) | undefined;

/** What both SDK generations do with a transport, as far as it matters here. */
function fakeServer(): { connect(transport: unknown): Promise<void> } {
  return {
    async connect(transport) {
      const wire = transport as { onmessage?: Callback; onclose?: Callback };
      const { onmessage, onclose } = wire;
      wire.onmessage = (...given) => {
        onmessage?.(...given);
      };
      wire.onclose = () => {
        onclose?.();
      };
    },
  };
}

function fakeTransport(): { onmessage?: Callback; onclose?: Callback; sent: unknown[]; send(message: unknown): Promise<void> } {
  return {
    sent: [],
    async send(message) {
      this.sent.push(message);
    },
  };
}

const here = { process: undefined, clock: handClock() };
async function connected(signals: Signals): Promise<ReturnType<typeof fakeTransport>> {
  const transport = fakeTransport();
  await signals.observe(fakeServer()).connect(transport);
  return transport;
}

test('any message either way passes, is never thrown about, and leaves nothing open that ended', async () => {
  const anything = fc.anything({ maxDepth: 3, withNullPrototype: true, withBigInt: true });
  const message = fc.oneof(
    anything,
    fc.record(
      {
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('1', '__proto__', null)),
        method: fc.constantFrom('tools/call', 'initialize', 'notifications/cancelled', 'subscriptions/listen', 'x'.repeat(500)),
        params: fc.oneof(anything, fc.record({ name: anything, requestId: fc.integer({ min: 0, max: 3 }) })),
        result: anything,
        error: anything,
      },
      { requiredKeys: [] },
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), message), { maxLength: 30 }), async (traffic) => {
      const signals = createSignals(here);
      const transport = await connected(signals);
      for (const [isIncoming, said] of traffic) await (isIncoming ? transport.onmessage?.(said, said) : transport.send(said));
      expect(transport.sent).toEqual(traffic.filter(([isIncoming]) => !isIncoming).map(([, said]) => said));
      transport.onclose?.();
      await Promise.resolve();
      const { operations, sessions } = signals.snapshot();
      expect(operations.inFlight).toBe(0);
      expect(sessions.active).toBe(0);
      expect(signals.metrics().split('\n').length).toBeGreaterThan(5);
    }),
    { numRuns: 300 },
  );
});

test('an answer counts when it has left, and as failed when it could not', async () => {
  const signals = createSignals(here);
  const transport = fakeTransport();
  const leaving: { resolve(): void; reject(error: Error): void }[] = [];
  transport.send = () => new Promise<void>((resolve, reject) => leaving.push({ resolve, reject }));
  await signals.observe(fakeServer()).connect(transport);
  for (const id of [1, 2]) transport.onmessage?.({ jsonrpc: '2.0', id, method: 'ping' });
  const sends = [1, 2].map((id) => transport.send({ jsonrpc: '2.0', id, result: {} }));
  await Promise.resolve();
  expect(signals.snapshot().operations).toMatchObject({ total: 0, inFlight: 2 });
  leaving[0]?.resolve();
  leaving[1]?.reject(new Error('EPIPE'));
  await Promise.allSettled(sends);
  expect(signals.snapshot().operations).toMatchObject({ total: 2, inFlight: 0 });
  expect(signals.metrics()).toContain('error_type="send_failed"');
});

test('what is cancelled, left open by a close, or asked twice under one id ends once, by its own name', async () => {
  const signals = createSignals(here);
  const transport = await connected(signals);
  const call = (id: number): unknown => transport.onmessage?.({ jsonrpc: '2.0', id, method: 'ping' });
  call(1);
  transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  call(2);
  call(2);
  transport.onclose?.();
  const ends = [...signals.metrics().matchAll(/duration_seconds_count\{mcp_method_name="ping",error_type="(\w+)"\} (\d+)/g)];
  expect(ends.map(([, end, count]) => [end, count])).toEqual([
    ['cancelled', '1'],
    ['duplicate_id', '1'],
    ['closed', '1'],
  ]);
});

test('a stream that is listened to is no operation', async () => {
  const signals = createSignals(here);
  const transport = await connected(signals);
  transport.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' });
  expect(signals.snapshot().operations.inFlight).toBe(0);
});

describe('stopping', () => {
  test('leaves server and transport as they were', async () => {
    const server = fakeServer();
    const transport = fakeTransport();
    const before = [server, transport].map((owner) => Object.getOwnPropertyDescriptors(owner));
    const signals = observeServer(server, here);
    await server.connect(transport);
    signals.stop();
    signals.stop();
    const { onmessage: _, onclose: __, ...left } = Object.getOwnPropertyDescriptors(transport);
    expect([Object.getOwnPropertyDescriptors(server), left]).toEqual(before);
  });

  test('stops every timer', () => {
    const clock = handClock();
    const signals = createSignals({
      clock,
      process: {
        read: () => {
          throw new Error('unread');
        },
        nextMinute() {},
        stop() {},
      },
    });
    expect(clock.pending).toBe(1);
    signals.stop();
    expect(clock.pending).toBe(0);
  });
});

test('a pool that cannot say how it is, is a problem of ours and no reason to fail', () => {
  const signals = createSignals({
    ...here,
    pools: {
      gone: () => {
        throw new Error('ended');
      },
      odd: () => ({ max: Number.NaN, total: 0, idle: 0, waiting: 0 }),
      db: () => ({ max: 10, total: 10, idle: 4, waiting: 3 }),
    },
  });
  expect(signals.snapshot().saturation.pools).toEqual({ db: { max: 10, total: 10, idle: 4, waiting: 3, utilization: 0.6 } });
  expect(signals.problems).toBe(2);
  expect(signals.metrics()).toContain(
    'db_client_connection_count{db_client_connection_pool_name="db",db_client_connection_state="used"} 6',
  );
});

test.each([{ checkTimeoutMs: 0 }, { checkTimeoutMs: Number.NaN }, { maxPoolWaiters: -1 }])('%j is refused by name', (options) => {
  expect(() => createSignals({ ...here, ...options })).toThrow(Object.keys(options)[0]);
});
