/** What HTTP says around the messages, and streams that end or fall silent. */
import type { JsonObject } from '@toolquake/sdk/core';
import { expect } from 'vitest';
import { callTool, dataOf, errorOf, fired, ONCE, reported, type Scenario } from './scenario.js';
import { isPipe, answersTo, executions, toolCall, type Stage } from './stage.js';

const statuses = (stage: Stage): readonly unknown[] =>
  stage.seen.flatMap((one) => (one.what === 'http' ? [[one.status, one.headers['content-type']]] : []));

const listen = (id: number): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true } },
});

const isAcknowledged = (stage: Stage): boolean =>
  stage.seen.some((one) => one.what === 'message' && one.message['method'] === 'notifications/subscriptions/acknowledged');

/** Scripts for them. */
export const httpFaults: readonly Scenario[] = [
  {
    name: 'wrong-content-type',
    fault: 'wrong-content-type',
    rule: ONCE,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(statuses(stage)).toEqual([[200, 'text/plain']]);
      expect(answersTo(stage, 1)).toEqual([]);
      expect(dataOf(stage, 2)['receipt']).toBe(2);
    },
  },
  {
    name: 'accepted-only',
    fault: 'accepted-only',
    rule: { ...ONCE, phase: 'post' },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(statuses(stage)).toEqual([[202, undefined]]);
      expect(answersTo(stage, 1)).toEqual([]);
      expect(dataOf(stage, 2)['receipt']).toBe(2);
      await reported(stage, ['no-answer', 'ok']);
    },
  },
  {
    name: 'stream-cut',
    fault: 'stream-cut',
    rule: { ...ONCE, when: { tool: 'pay', session: 'agent#1' }, params: { heartbeats: 2, everyMs: 20 } },
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('the end of the stream', () => stage.seen.some(({ what }) => what === 'broken'));
      expect(stage.seen.filter(({ what }) => what === 'heartbeat')).toHaveLength(2);
      // With HTTP+SSE the session ended with its stream.
      expect(await stage.hello()).toBe(true);
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(2);
      await reported(stage, ['disconnected', 'ok']);
    },
  },
  {
    name: 'listen-cut',
    fault: 'listen-cut',
    rule: { params: { mode: 'silent' } },
    async play(stage) {
      stage.send(listen(1));
      await stage.until('an acknowledgement', () => isAcknowledged(stage));
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(stage.seen.some(({ what }) => what === 'broken')).toBe(false);
      expect(stage.served.some(({ method }) => method === 'subscriptions/listen')).toBe(false);
    },
  },
  {
    name: 'listen-cut, cut',
    fault: 'listen-cut',
    rule: { params: { mode: 'cut', afterMs: 80 } },
    notOn: {
      stdio: 'A pipe has no stream of its own for a subscription.',
      'in-process': 'A transport in process has no stream of its own for a subscription.',
    },
    async play(stage) {
      stage.send(listen(1));
      await stage.until('an acknowledgement', () => isAcknowledged(stage));
      await fired(stage, 1);
      await stage.until('the end of the stream', () => stage.seen.some(({ what }) => what === 'broken'));
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(stage.served.some(({ method }) => method === 'subscriptions/listen')).toBe(true);
    },
  },
  {
    name: 'rate-limit, with a date',
    fault: 'rate-limit',
    rule: { ...ONCE, params: { retryAfterSeconds: 90, retryAfterAs: 'date' } },
    hasOwnAnswers: true,
    async play(stage) {
      // Virtual time starts in 1970.
      const startedAtMs = stage.name === 'simulator' ? stage.nowMs() : Date.now();
      await callTool(stage, 1, 'pay');
      expect(executions(stage, 'pay')).toBe(0);
      if (isPipe(stage)) {
        expect(errorOf(stage, 1)['message']).toContain('Retry after 90 seconds');
        return;
      }
      const [date] = stage.seen.flatMap((one) => (one.what === 'http' ? [one.headers['retry-after'] ?? ''] : []));
      expect(date).toMatch(/ GMT$/);
      // Dates in headers have whole seconds.
      expect(Math.abs(Date.parse(date ?? '') - startedAtMs - 90_000)).toBeLessThan(5000);
    },
  },
];
