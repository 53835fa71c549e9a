/** Faults that answer, delay, edit or cut. */
import { expect } from 'vitest';
import { answered, callTool, dataOf, errorOf, fired, ONCE, reported, resultOf, toolsListed, type Scenario } from './scenario.js';
import { isPipe, answersTo, executions, toolCall } from './stage.js';

/** Scripts for them. */
export const easyFaults: readonly Scenario[] = [
  {
    name: 'connection-drop',
    fault: 'connection-drop',
    rule: { ...ONCE, phase: 'post' },
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('a broken connection', () => stage.seen.some(({ what }) => what === 'broken'));
      await reported(stage, ['disconnected']);
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'malformed-body',
    fault: 'malformed-body',
    rule: ONCE,
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('something that is not JSON', () => stage.seen.some(({ what }) => what === 'garbage'));
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(2);
    },
  },
  {
    name: 'do-nothing',
    fault: 'do-nothing',
    rule: {},
    async play(stage) {
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'latency',
    fault: 'latency',
    rule: { params: { addedMs: 40, jitterMs: 10 } },
    async play(stage) {
      const startedAtMs = stage.nowMs();
      await callTool(stage, 1, 'pay');
      expect(stage.nowMs() - startedAtMs).toBeGreaterThanOrEqual(39);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'hang',
    fault: 'hang',
    rule: ONCE,
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await fired(stage, 1);
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'error-response',
    fault: 'error-response',
    rule: ONCE,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(errorOf(stage, 1)).toEqual({ code: -32603, message: 'Internal error' });
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'tool-error',
    fault: 'tool-error',
    rule: { ...ONCE, phase: 'post' },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      expect(resultOf(stage, 1)['isError']).toBe(true);
      expect(executions(stage, 'pay')).toBe(1);
      await reported(stage, ['tool-error']);
    },
  },
  {
    name: 'http-status',
    fault: 'http-status',
    rule: { ...ONCE, params: { status: 502, body: 'html' } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(stage.seen.flatMap((one) => (one.what === 'http' ? [one.status, one.headers['content-type']] : []))).toEqual([
        502,
        'text/html',
      ]);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'rate-limit',
    fault: 'rate-limit',
    rule: { ...ONCE, params: { retryAfterSeconds: 7 } },
    hasOwnAnswers: true,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      expect(executions(stage, 'pay')).toBe(0);
      if (isPipe(stage)) expect(errorOf(stage, 1)['message']).toContain('Retry after 7 seconds');
      else expect(stage.seen.flatMap((one) => (one.what === 'http' ? [one.status, one.headers['retry-after']] : []))).toEqual([429, '7']);
    },
  },
  {
    name: 'partial-result',
    fault: 'partial-result',
    rule: { when: { tool: 'search' } },
    async play(stage) {
      await callTool(stage, 1, 'search');
      expect(dataOf(stage, 1)).toEqual({ items: ['a', 'b', 'c'] });
    },
  },
  {
    name: 'empty-result',
    fault: 'empty-result',
    rule: { when: { tool: 'search' } },
    async play(stage) {
      await callTool(stage, 1, 'search');
      expect(resultOf(stage, 1)).toEqual({ content: [], structuredContent: {} });
    },
  },
  {
    name: 'drop-tool',
    fault: 'drop-tool',
    rule: { when: { tool: 'pay' } },
    async play(stage) {
      stage.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      await answered(stage, 1);
      await callTool(stage, 2, 'pay');
      await callTool(stage, 3, 'read');
      expect(toolsListed(stage, 1)).toEqual(['read', 'search']);
      expect(errorOf(stage, 2)['code']).toBe(-32602);
      expect(executions(stage, 'pay')).toBe(0);
    },
  },
  {
    name: 'registry-inconsistency',
    fault: 'registry-inconsistency',
    rule: { when: { tool: 'pay' } },
    async play(stage) {
      stage.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      await answered(stage, 1);
      await callTool(stage, 2, 'pay');
      expect(toolsListed(stage, 1)).toContain('pay');
      expect(errorOf(stage, 2)['code']).toBe(-32602);
      expect(executions(stage, 'pay')).toBe(0);
    },
  },
];
