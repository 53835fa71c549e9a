import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { connectionDrop } from './connection-drop.js';

faultContract(connectionDrop, { example: { afterMs: 20 } });

test('breaks the connection at once, and the server never hears of the call', () => {
  const rig = createTestRig(connectionDrop);
  rig.request(exampleCall());
  expect(rig.ends.log).toMatchObject([{ atMs: 0, what: 'disconnect', how: 'reset' }]);
});

test('breaks the connection after a silence', () => {
  const rig = createTestRig(connectionDrop, { params: { afterMs: 2000 } });
  rig.request(exampleCall());
  rig.clock.advance(1999);
  expect(rig.ends.log).toEqual([]);
  rig.clock.advance(1);
  expect(rig.ends.log).toMatchObject([{ atMs: 2000, what: 'disconnect', how: 'reset' }]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'disconnected', latencyMs: 2000 }]);
});

test('lets the server do the work first in phase post', () => {
  const rig = createTestRig(connectionDrop, { phase: 'post' });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.log.map(({ what, how }) => how ?? what)).toEqual(['message', 'reset']);
});

test('leaves the connection alone when the client gave up before', () => {
  const rig = createTestRig(connectionDrop, { params: { afterMs: 2000 } });
  rig.request(exampleCall({ id: 5 }));
  rig.cancel(5);
  rig.clock.advance(5000);
  expect(rig.ends.log.filter(({ what }) => what === 'disconnect')).toEqual([]);
});

test('ends the connection in good order where it is told to', () => {
  const rig = createTestRig(connectionDrop, { params: { how: 'end' } });
  rig.request(exampleCall());
  expect(rig.ends.log).toMatchObject([{ what: 'disconnect', how: 'end' }]);
});

test('lets so many bytes of a message pass first', () => {
  const rig = createTestRig(connectionDrop, { phase: 'post', params: { afterBytes: 10 } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  rig.clock.advance(1000);
  const heard = rig.ends.log.filter(({ what }) => what === 'slice' || what === 'disconnect');
  expect(heard.map(({ what, bytes, how }) => bytes?.length ?? `${what} ${how}`)).toEqual([10, 'disconnect reset']);
});

test('leaves a message alone that is not longer than that, and says so', () => {
  const rig = createTestRig(connectionDrop, { phase: 'post', params: { afterBytes: 1_000_000 } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.log.map(({ what }) => what)).toEqual(['message', 'message']);
  expect(rig.outcomes).toEqual(['not-delivered: there is nothing to cut off']);
});

test('breaks after a time or after some bytes: a plan that asks for both is refused', () => {
  const values = (afterMs: number, afterBytes: number) => connectionDrop.whyPointless?.({ afterMs, afterBytes } as never);
  expect([values(1, 1), values(1, 0), values(0, 1), values(0, 0)]).toEqual([
    'a connection breaks after a time or after some bytes, not after both',
    undefined,
    undefined,
    undefined,
  ]);
});
