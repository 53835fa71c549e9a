/** Faults of load: what happens when there is too much at once. */
import { expect } from 'vitest';
import { answered, callTool, dataOf, errorOf, fired, type Scenario } from './scenario.js';
import { isPipe, answersTo, executions, release, toolCall, type Stage } from './stage.js';

/** How a client was turned away: statuses, and when it may come back. Nothing where there is no HTTP. */
const refusals = (stage: Stage): readonly unknown[] =>
  stage.seen.flatMap((one) => (one.what === 'http' ? [[one.id, one.status, one.headers['retry-after']]] : []));

/** The tools that the server was asked for, in order. */
const toolsServed = (stage: Stage): readonly unknown[] =>
  stage.served.flatMap(({ method, params }) => (method === 'tools/call' ? [(params as { name: string }).name] : []));

/** Scripts for them. */
export const loadFaults: readonly Scenario[] = [
  {
    name: 'concurrency-limit',
    fault: 'concurrency-limit',
    rule: {},
    hasOwnAnswers: true,
    async play(stage) {
      stage.send(toolCall(1, 'pay', { wait: true }));
      await stage.until('the first call is with the server', () => executions(stage, 'pay') === 1);
      await callTool(stage, 2, 'read');
      expect(executions(stage, 'read')).toBe(0);
      if (isPipe(stage)) expect(errorOf(stage, 2)['code']).toBe(-32000);
      else expect(refusals(stage)).toEqual([[2, 503, '1']]);
      stage.send(release(1));
      await answered(stage, 1);
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'concurrency-limit, queue',
    fault: 'concurrency-limit',
    rule: { params: { mode: 'queue' } },
    async play(stage) {
      stage.send(toolCall(1, 'pay', { wait: true }));
      await stage.until('the first call is with the server', () => executions(stage, 'pay') === 1);
      stage.send(toolCall(2, 'read'));
      await fired(stage, 1);
      stage.send(toolCall(3, 'search'));
      await fired(stage, 2);
      expect(toolsServed(stage)).toEqual(['pay']);
      stage.send(release(1));
      for (const id of [1, 2, 3]) await answered(stage, id);
      expect(toolsServed(stage)).toEqual(['pay', 'read', 'search']);
      expect(dataOf(stage, 2)['value']).toBe(1);
    },
  },
  {
    name: 'head-of-line-blocking',
    fault: 'head-of-line-blocking',
    rule: { when: { tool: 'pay' }, at: { first: 1 }, params: { blockMs: 800 } },
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await fired(stage, 1);
      stage.send(toolCall(2, 'search'));
      await fired(stage, 2);
      stage.send(toolCall(3, 'read'));
      await fired(stage, 3);
      // A list is no call: it passes those that wait.
      stage.send({ jsonrpc: '2.0', id: 4, method: 'tools/list' });
      await answered(stage, 4);
      expect(toolsServed(stage)).toEqual([]);
      for (const id of [1, 2, 3]) await answered(stage, id);
      expect(toolsServed(stage)[0]).toBe('pay');
      // Over HTTP each call has a connection of its own, and the server may take up the later one first.
      if (isPipe(stage) || stage.name === 'simulator') expect(toolsServed(stage)).toEqual(['pay', 'search', 'read']);
      await callTool(stage, 5, 'pay');
      expect(dataOf(stage, 5)['receipt']).toBe(2);
    },
  },
  {
    name: 'quota',
    fault: 'quota',
    rule: { params: { calls: 2, windowMs: 60_000 } },
    hasOwnAnswers: true,
    async play(stage) {
      for (const id of [1, 2, 3]) await callTool(stage, id, 'pay');
      expect(executions(stage, 'pay')).toBe(2);
      expect(dataOf(stage, 2)['receipt']).toBe(2);
      if (isPipe(stage)) expect(errorOf(stage, 3)['message']).toMatch(/^Quota of 2 calls exceeded\. Retry after (59|60) seconds\.$/);
      else expect(refusals(stage)).toEqual([[3, 429, expect.stringMatching(/^(59|60)$/)]]);
      expect(answersTo(stage, 3)).toHaveLength(isPipe(stage) ? 1 : 0);
    },
  },
];
