/** Faults of JSON-RPC: what answers look like, whose they are, how many, and in which order. */
import type { JsonObject } from '@toolquake/sdk/core';
import { expect } from 'vitest';
import { answered, callTool, dataOf, fired, ONCE, reported, type Scenario } from './scenario.js';
import { isPipe, answersTo, executions, release, toolCall, type Stage } from './stage.js';

/** Messages of one method that the client saw. */
const noticed = (stage: Stage, method: string): readonly JsonObject[] =>
  stage.seen.flatMap((one) => (one.what === 'message' && one.message['method'] === method ? [one.message] : []));

const garbage = (stage: Stage): number => stage.seen.filter(({ what }) => what === 'garbage').length;

/** A call whose answer nobody can read, and one after it that goes well. */
async function loseOneAnswer(stage: Stage): Promise<void> {
  stage.send(toolCall(1, 'pay'));
  await stage.until('something that is no message', () => garbage(stage) > 0);
  await callTool(stage, 2, 'pay');
  expect(answersTo(stage, 1)).toEqual([]);
  expect(dataOf(stage, 2)['receipt']).toBe(2);
  expect(executions(stage, 'pay')).toBe(2);
}

/** Scripts for them. */
export const rpcFaults: readonly Scenario[] = [
  {
    name: 'stdout-noise',
    fault: 'stdout-noise',
    rule: ONCE,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(garbage(stage)).toBe(1);
      expect([1, 2].map((id) => dataOf(stage, id)['receipt'])).toEqual([1, 2]);
    },
  },
  { name: 'stdout-noise-glued', fault: 'stdout-noise', rule: { ...ONCE, params: { where: 'glued' } }, play: loseOneAnswer },
  { name: 'malformed-garbage', fault: 'malformed-body', rule: { ...ONCE, params: { as: 'garbage' } }, play: loseOneAnswer },
  { name: 'malformed-newline-inside', fault: 'malformed-body', rule: { ...ONCE, params: { as: 'newline-inside' } }, play: loseOneAnswer },
  {
    name: 'bad-envelope',
    fault: 'bad-envelope',
    rule: ONCE,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect([1, 2].map((id) => answersTo(stage, id)[0]?.['jsonrpc'])).toEqual([undefined, '2.0']);
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'bad-envelope-neither',
    fault: 'bad-envelope',
    rule: { ...ONCE, params: { how: 'neither' } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      expect(answersTo(stage, 1)).toEqual([{ jsonrpc: '2.0', id: 1 }]);
      await reported(stage, ['rpc-error']);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  { name: 'bad-envelope-batch', fault: 'bad-envelope', rule: { ...ONCE, params: { how: 'batch' } }, play: loseOneAnswer },
  {
    name: 'wrong-id',
    fault: 'wrong-id',
    rule: ONCE,
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await answered(stage, 1_000_001);
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(dataOf(stage, 1_000_001)['receipt']).toBe(1);
      // Nobody has told the first caller anything. Where a call has an answer of its own, the proxy sees it end without one.
      const hasEnded = stage.name === 'http-json' || stage.name === 'http-sse';
      await reported(stage, hasEnded ? ['no-answer', 'ok'] : ['ok']);
    },
  },
  {
    name: 'duplicate-response',
    fault: 'duplicate-response',
    rule: { ...ONCE, params: { differ: true } },
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('two answers', () => answersTo(stage, 1).length === 2);
      await callTool(stage, 2, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
      expect(answersTo(stage, 1)[1]?.['error']).toEqual({ code: -32603, message: 'Internal error' });
      expect(executions(stage, 'pay')).toBe(2);
      await reported(stage, ['ok', 'ok']);
    },
  },
  {
    name: 'lost-notification',
    fault: 'lost-notification',
    rule: { at: { first: 2 } },
    async play(stage) {
      stage.send(toolCall(1, 'pay', { progress: 3 }));
      await answered(stage, 1);
      expect(noticed(stage, 'notifications/progress').map(({ params }) => (params as JsonObject)['progress'])).toEqual([3]);
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'cancel-ignored',
    fault: 'lost-notification',
    rule: { when: { method: 'notifications/cancelled' } },
    notModern: 'Over HTTP a modern client cancels by closing the response, which is no message that could be lost.',
    async play(stage) {
      stage.send(toolCall(1, 'pay', { wait: true }));
      await stage.until('the call is with the server', () => executions(stage, 'pay') === 1);
      stage.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      await fired(stage, 1);
      expect(answersTo(stage, 1)).toEqual([]);
      stage.send(release(1));
      await answered(stage, 1);
      expect(stage.served.map(({ method }) => method)).not.toContain('notifications/cancelled');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
      await reported(stage, ['cancelled']);
    },
  },
  {
    name: 'reorder',
    fault: 'reorder',
    rule: {},
    async play(stage) {
      for (const id of [1, 2]) {
        stage.send(toolCall(id, 'read', { wait: true }));
        await stage.until(`call ${id} is with the server`, () => executions(stage, 'read') === id);
      }
      stage.send(release(1));
      await fired(stage, 1);
      expect(answersTo(stage, 1)).toEqual([]);
      stage.send(release(2));
      await answered(stage, 1);
      await answered(stage, 2);
      expect([1, 2].map((id) => dataOf(stage, id)['value'])).toEqual([1, 2]);
      // Over HTTP the two answers have a connection each, and either may be read first.
      const hasOnePipe = isPipe(stage) || stage.name === 'simulator';
      const order = stage.seen.flatMap((one) => (one.what === 'message' ? [one.message['id']] : [])).slice(-2);
      if (hasOnePipe) expect(order).toEqual([2, 1]);
    },
  },
  {
    name: 'server-id-collision',
    fault: 'server-id-collision',
    rule: ONCE,
    async play(stage) {
      stage.send(toolCall(1, 'pay', { wait: true }));
      await stage.until('a question', () => noticed(stage, 'ping').length === 1);
      stage.send({ jsonrpc: '2.0', id: 1, result: {} });
      await stage.until('the reply', () => stage.served.some((message) => message['id'] === 1 && message['result'] !== undefined));
      stage.send(release(1));
      await stage.until('the answer', () => answersTo(stage, 1).length === 2);
      expect(answersTo(stage, 1)[0]).toEqual({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect(answersTo(stage, 1)[1]).toMatchObject({ result: { structuredContent: { receipt: 1 } } });
      await reported(stage, ['ok']);
    },
  },
];
