/** The twelve faults that were most likely to break the design. */
import { isObject } from '@toolquake/sdk/core';
import { expect } from 'vitest';
import { answered, callTool, comeBack, dataOf, fired, ONCE, reported, type Scenario } from './scenario.js';
import { answersTo, executions, release, toolCall } from './stage.js';

/** Scripts for them. */
export const awkwardFaults: readonly Scenario[] = [
  {
    name: 'cross-wire',
    fault: 'cross-wire',
    rule: { when: { tool: ['read', 'search'] } },
    async play(stage) {
      stage.send(toolCall(1, 'read', { wait: true }));
      await stage.until('the first call is with the server', () => executions(stage, 'read') === 1);
      stage.send(toolCall(2, 'search', { wait: true }));
      await stage.until('the second call is with the server', () => executions(stage, 'search') === 1);
      stage.send(release(1));
      await fired(stage, 1);
      stage.send(release(2));
      await answered(stage, 1);
      await answered(stage, 2);
      expect(Object.keys(dataOf(stage, 1))).toEqual(['items', 'total']);
      expect(Object.keys(dataOf(stage, 2))).toEqual(['value']);
    },
  },
  {
    name: 'late-after-cancel',
    fault: 'late-after-cancel',
    rule: { params: { afterMs: 5 } },
    notModern: 'Over HTTP a modern client cancels by closing the response: nobody is left to hear the late answer.',
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await fired(stage, 1);
      expect(answersTo(stage, 1)).toEqual([]);
      stage.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      await answered(stage, 1);
      await stage.until('the server hears of the cancellation', () =>
        stage.served.some(({ method }) => method === 'notifications/cancelled'),
      );
      expect(dataOf(stage, 1)['receipt']).toBe(1);
      await reported(stage, ['cancelled']);
    },
  },
  {
    name: 'heartbeat-only',
    fault: 'heartbeat-only',
    rule: { ...ONCE, params: { everyMs: 10, count: 4 } },
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('four heartbeats', () => stage.seen.filter(({ what }) => what === 'heartbeat').length === 4);
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(2);
    },
  },
  {
    name: 'list-changed-storm',
    fault: 'list-changed-storm',
    rule: { params: { everyMs: 1, count: 3 } },
    async play(stage) {
      stage.send(toolCall(1, 'pay', { wait: true }));
      const notices = (): number =>
        stage.seen.filter((one) => one.what === 'message' && one.message['method'] === 'notifications/tools/list_changed').length;
      await stage.until('three notices', () => notices() === 3);
      stage.send(release(1));
      await answered(stage, 1);
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'stale-result',
    fault: 'stale-result',
    rule: { at: { nth: [2] } },
    async play(stage) {
      await callTool(stage, 1, 'read');
      await callTool(stage, 2, 'read');
      await callTool(stage, 3, 'read');
      expect([1, 2, 3].map((id) => dataOf(stage, id)['value'])).toEqual([1, 1, 3]);
      expect(executions(stage, 'read')).toBe(3);
    },
  },
  {
    name: 'lost-ack',
    fault: 'lost-ack',
    rule: ONCE,
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await fired(stage, 1);
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(2);
      expect(dataOf(stage, 2)['receipt']).toBe(2);
    },
  },
  {
    name: 'double-execute',
    fault: 'double-execute',
    rule: ONCE,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await stage.until('the second execution', () => executions(stage, 'pay') === 2);
      await callTool(stage, 2, 'read');
      await reported(stage, ['ok', 'ok']);
      expect(answersTo(stage, 1)).toHaveLength(1);
    },
  },
  {
    name: 'session-lost',
    fault: 'session-lost',
    rule: { ...ONCE, when: { tool: 'pay', session: 'agent#1' } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(executions(stage, 'pay')).toBe(0);
      expect(stage.seen.flatMap((one) => (one.what === 'http' ? [one.status] : []))).toEqual([404, 404]);
      expect(await stage.hello()).toBe(true);
      await callTool(stage, 3, 'pay');
      expect(dataOf(stage, 3)['receipt']).toBe(1);
    },
  },
  {
    name: 'pace',
    fault: 'pace',
    rule: { params: { sliceBytes: 1, everyMs: 1 } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['note']).toBe('paid: 5 €');
      const pieces = stage.seen.flatMap((one) => (one.what === 'message' && one.message['id'] === 1 ? [one.pieces ?? 1] : []));
      expect(pieces[0]).toBeGreaterThan(3);
    },
  },
  {
    name: 'connection-refused',
    fault: 'connection-refused',
    rule: { ...ONCE, params: { forMs: 60 } },
    startsAlone: true,
    async play(stage) {
      expect(await stage.hello()).toBe(false);
      await comeBack(stage);
      await callTool(stage, 1, 'pay');
      expect(stage.seen.map(({ what }) => what)).toContain('refused');
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'freeze',
    fault: 'freeze',
    rule: { ...ONCE, params: { forMs: 80 } },
    async play(stage) {
      const startedAtMs = stage.nowMs();
      await callTool(stage, 1, 'pay');
      expect(stage.nowMs() - startedAtMs).toBeGreaterThanOrEqual(75);
      await callTool(stage, 2, 'pay');
      expect(dataOf(stage, 2)['receipt']).toBe(2);
    },
  },
  {
    name: 'schema-drift',
    fault: 'schema-drift',
    rule: { when: { tool: 'search' } },
    async play(stage) {
      await callTool(stage, 1, 'search');
      expect(dataOf(stage, 1)).not.toEqual({ items: ['a', 'b', 'c', 'd', 'e', 'f'], total: 6 });
      expect(isObject(dataOf(stage, 1))).toBe(true);
    },
  },
];
