/** One replica by itself: what it does with calls when it crashes, stands still, or is given less than it uses. */
import { expect, test } from 'vitest';
import { checkFields } from './check-fields.js';
import { startCall, type Call, type Reply } from './call.js';
import { createReplica, type Replica } from './replica.js';
import { SERVER_FIELDS } from './topology-fields.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';
import { createValueReader, type JsonObject } from '@toolquake/sdk/core';

type Bench = { readonly clock: VirtualClock; readonly replica: Replica; readonly replies: string[]; send(name: string): Call };

/** A replica whose work takes a second, unless told otherwise. */
function bench(spec: JsonObject = {}): Bench {
  const clock = createVirtualClock();
  const replies: string[] = [];
  const replica = createReplica({
    clock,
    spec: checkFields(createValueReader(), { tools: ['look'], ...spec }, [], SERVER_FIELDS),
    sample: () => 1000,
    onWorked(call, release) {
      release();
      if (!call.isOver) call.onReply(call, { kind: 'result', result: {} });
      call.isOver = true;
    },
    onPoolExhausted: () => {},
  });
  const send = (name: string): Call => {
    const onReply = (_: Call, reply: Reply): void => void replies.push(`${clock.nowMs()} ${name} ${reply.kind}`);
    const call = startCall({ tool: name, operation: undefined, frame: undefined, exchange: undefined, outer: undefined, onReply });
    replica.receive(call);
    return call;
  };
  return { clock, replica, replies, send };
}

test('a second crash does not bring it back sooner than the first', () => {
  const { clock, replica } = bench();
  replica.crash(10_000);
  clock.advance(1000);
  replica.crash(1000);
  clock.advance(5000);
  expect(replica.isUp()).toBe(false);
  clock.advance(4000);
  expect(replica.isUp()).toBe(true);
});

test('a crash does not bring back what is switched off', () => {
  const { clock, replica } = bench();
  replica.set('isUp', false);
  replica.crash(1000);
  clock.advance(5000);
  expect(replica.isUp()).toBe(false);
  replica.set('isUp', true);
  expect(replica.isUp()).toBe(true);
});

test('answers nothing while it stands still, not even what it had begun', () => {
  const { clock, replica, replies, send } = bench();
  send('begun');
  clock.advance(500);
  replica.freeze(10_000);
  send('later');
  clock.advance(20_000);
  expect(replies).toEqual(['10500 begun result', '11500 later result']);
});

test('more workers begin what waits at once', () => {
  const { clock, replica, replies, send } = bench({ workers: 1 });
  for (const name of ['a', 'b', 'c']) send(name);
  clock.advance(100);
  replica.set('workers', 3);
  clock.advance(3000);
  expect(replies).toEqual(['1000 a result', '1100 b result', '1100 c result']);
});

test('is not cold while it works', () => {
  const { clock, replies, send } = bench({ coldStart: { afterIdle: '500ms', takes: '2s' } });
  send('first');
  clock.advance(2900);
  send('meanwhile');
  clock.advance(10_000);
  expect(replies).toEqual(['3000 first result', '3900 meanwhile result']);
});

test('tells whoever it drops work of', () => {
  const { clock, replies, send } = bench({ workers: 1, honoursCancel: true });
  send('a');
  send('b').isAbandoned = true;
  send('c');
  clock.advance(5000);
  expect(replies).toEqual(['1000 b lost', '1000 a result', '2000 c result']);
});

test('drops work that is part of something nobody waits for', () => {
  const { clock, replica, replies, send } = bench({ workers: 1, honoursCancel: true });
  const outer = startCall({ tool: 'x', operation: undefined, frame: undefined, exchange: undefined, outer: undefined, onReply: () => {} });
  send('a');
  replica.receive(
    startCall({
      tool: 'inner',
      operation: undefined,
      frame: undefined,
      exchange: undefined,
      outer,
      onReply: (_, { kind }) => void replies.push(`${clock.nowMs()} inner ${kind}`),
    }),
  );
  outer.isAbandoned = true;
  clock.advance(5000);
  expect(replies).toEqual(['1000 inner lost', '1000 a result']);
});

test('a pool that is cut below what is in use fails a long queue without running out of stack', () => {
  const { clock, replica, replies, send } = bench({ workers: 400, queue: 100_000, pool: 400, poolQueue: 5, poolWait: '10s' });
  for (let index = 0; index < 60_000; index++) send(String(index));
  replica.set('pool', 1);
  clock.advance(2000);
  expect(replica.poolInUse()).toBe(1);
  expect(replies.filter((reply) => reply.endsWith('error'))).toHaveLength(59_595);
});
