/** Faults of beginnings and sessions, of long calls, and of what the two eras do differently there. */
import type { JsonObject } from '@toolquake/sdk/core';
import { expect } from 'vitest';
import { answered, callTool, dataOf, errorOf, fired, ONCE, reported, resultOf, type Scenario } from './scenario.js';
import { isPipe, answersTo, executions, FIRST_WORDS, inEra, release, toolCall, type Stage } from './stage.js';

const servedMethods = (stage: Stage): readonly unknown[] => stage.served.map(({ method }) => method);

const statuses = (stage: Stage): readonly number[] => stage.seen.flatMap((one) => (one.what === 'http' ? [one.status] : []));

/** How far the server was, by what the client heard. */
const progressSeen = (stage: Stage): readonly unknown[] =>
  stage.seen.flatMap((one) =>
    one.what === 'message' && one.message['method'] === 'notifications/progress' ? [(one.message['params'] as JsonObject)['progress']] : [],
  );

/** A call that brings back the state it was given. */
function callWithState(id: number, name: string, requestState: unknown, given: JsonObject = {}): JsonObject {
  const call = toolCall(id, name, given);
  return { ...call, params: { ...(call['params'] as JsonObject), requestState } };
}

/** The question of a client that speaks both eras. */
const PROBE = inEra('modern', { ...FIRST_WORDS.modern, id: 100 });

/** Only the first greeting of the first session. */
const firstOnly = (method: string): JsonObject => ({ ...ONCE, when: { method, session: 'agent#1' } });

const NO_INITIALIZE = 'The modern era has no initialize.';

/** Scripts for them. */
export const lifecycleFaults: readonly Scenario[] = [
  {
    // What a client that does not read its stderr sees: test/stdio/flood.test.ts.
    name: 'stderr-flood',
    fault: 'stderr-flood',
    rule: { ...ONCE, params: { bytes: 200_000 } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      await fired(stage, 1);
      expect([1, 2].map((id) => dataOf(stage, id)['receipt'])).toEqual([1, 2]);
    },
  },
  {
    // How long the process stays afterwards: test/stdio/late-end.test.ts.
    name: 'ignore-eof',
    fault: 'ignore-eof',
    rule: { ...ONCE, params: { forMs: 50 } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      await fired(stage, 1);
      expect([1, 2].map((id) => dataOf(stage, id)['receipt'])).toEqual([1, 2]);
    },
  },
  {
    name: 'init-hang',
    fault: 'hang',
    rule: firstOnly('initialize'),
    notModern: NO_INITIALIZE,
    startsAlone: true,
    async play(stage) {
      stage.send(FIRST_WORDS.legacy);
      await fired(stage, 1);
      expect([stage.seen, stage.served]).toEqual([[], []]);
      expect(await stage.hello()).toBe(true);
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'init-error',
    fault: 'error-response',
    rule: firstOnly('initialize'),
    notModern: NO_INITIALIZE,
    startsAlone: true,
    async play(stage) {
      stage.send(FIRST_WORDS.legacy);
      await answered(stage, 0);
      expect(errorOf(stage, 0)).toEqual({ code: -32603, message: 'Internal error' });
      expect(stage.served).toEqual([]);
      expect(await stage.hello()).toBe(true);
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'initialized-lost',
    fault: 'lost-notification',
    rule: { when: { method: 'notifications/initialized' } },
    notModern: NO_INITIALIZE,
    async play(stage) {
      await fired(stage, 1);
      await callTool(stage, 1, 'pay');
      expect(servedMethods(stage)).toEqual(['initialize', 'tools/call']);
    },
  },
  {
    name: 'discover-silent',
    fault: 'hang',
    rule: firstOnly('server/discover'),
    startsAlone: true,
    async play(stage) {
      stage.send(PROBE);
      await fired(stage, 1);
      expect([stage.seen, stage.served]).toEqual([[], []]);
      expect(await stage.hello()).toBe(true);
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'ping-dead',
    fault: 'hang',
    rule: { when: { method: 'ping' } },
    notModern: 'The modern era has no ping.',
    async play(stage) {
      stage.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
      await fired(stage, 1);
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(servedMethods(stage)).not.toContain('ping');
    },
  },
  {
    name: 'server-ask-unanswered',
    fault: 'hang',
    rule: { when: { method: 'sampling/createMessage', direction: 'to-client' } },
    notModern: 'Modern servers send no requests.',
    async play(stage) {
      stage.send(toolCall(1, 'pay', { ask: 'sampling/createMessage' }));
      await fired(stage, 1);
      await callTool(stage, 2, 'pay');
      expect(answersTo(stage, 1)).toEqual([]);
      expect(stage.seen.some((one) => one.what === 'message' && one.message['method'] !== undefined)).toBe(false);
      expect(executions(stage, 'pay')).toBe(2);
    },
  },
  {
    name: 'slow-start',
    fault: 'slow-start',
    rule: { params: { delayMs: 60 } },
    startsAlone: true,
    async play(stage) {
      const startedAtMs = stage.nowMs();
      expect(await stage.hello()).toBe(true);
      expect(stage.nowMs() - startedAtMs).toBeGreaterThanOrEqual(55);
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'version-offer',
    fault: 'version-offer',
    rule: { params: { version: '2024-11-05' } },
    notModern: 'Modern servers refuse the request instead: see version-refused.',
    async play(stage) {
      expect(resultOf(stage, 0)['protocolVersion']).toBe('2024-11-05');
      expect(stage.served[0]).toMatchObject({ params: { protocolVersion: '2025-11-25' } });
    },
  },
  {
    name: 'version-refused',
    fault: 'version-offer',
    rule: { ...firstOnly('server/discover'), params: { version: '2027-06-30' } },
    hasOwnAnswers: true,
    startsAlone: true,
    async play(stage) {
      stage.send(PROBE);
      await answered(stage, 100);
      if (isPipe(stage)) {
        const data = { supported: ['2027-06-30'], requested: '2026-07-28' };
        expect(errorOf(stage, 100)).toEqual({ code: -32022, message: 'Unsupported protocol version', data });
      } else expect(statuses(stage)).toEqual([400]);
      expect(stage.served).toEqual([]);
      await stage.hello();
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'capability-lie',
    fault: 'capability-lie',
    rule: {},
    async play(stage) {
      expect(resultOf(stage, 0)['capabilities']).toEqual({});
      await callTool(stage, 1, 'pay');
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'bad-progress',
    fault: 'bad-progress',
    rule: { params: { how: 'backwards' } },
    async play(stage) {
      stage.send(toolCall(1, 'pay', { progress: 3 }));
      await answered(stage, 1);
      expect(progressSeen(stage)).toEqual([2, 1, 0]);
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'bad-progress-flood',
    fault: 'bad-progress',
    rule: { params: { how: 'flood', count: 3, everyMs: 1 } },
    async play(stage) {
      stage.send(toolCall(1, 'pay', { progress: 1, wait: true }));
      await stage.until('a notice and its copies', () => progressSeen(stage).length === 4);
      stage.send(release(1));
      await answered(stage, 1);
      expect(progressSeen(stage)).toEqual([1, 1, 1, 1]);
      expect(dataOf(stage, 1)['receipt']).toBe(1);
    },
  },
  {
    name: 'mrtr-loop',
    fault: 'mrtr-loop',
    rule: { ...ONCE, params: { rounds: 2 } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      for (const id of [2, 3]) {
        const { resultType, requestState } = resultOf(stage, id - 1);
        expect(resultType).toBe('input_required');
        stage.send(callWithState(id, 'pay', requestState));
        await answered(stage, id);
      }
      expect(dataOf(stage, 3)['receipt']).toBe(1);
      expect(executions(stage, 'pay')).toBe(1);
      expect(JSON.stringify(stage.served)).not.toContain('requestState');
    },
  },
  {
    name: 'mrtr-state-tamper',
    fault: 'mrtr-state-tamper',
    rule: {},
    async play(stage) {
      stage.send(toolCall(1, 'pay', { input: true }));
      await answered(stage, 1);
      expect(resultOf(stage, 1)).toEqual({ resultType: 'input_required', requestState: 'page=2' });
      stage.send(callWithState(2, 'pay', 'page=2', { input: true }));
      await answered(stage, 2);
      expect(errorOf(stage, 2)).toEqual({ code: -32602, message: 'Invalid state' });
      const [, state] = stage.served.flatMap(({ method, params }) =>
        method === 'tools/call' ? [(params as JsonObject)['requestState']] : [],
      );
      expect(state).toHaveLength('page=2'.length);
      expect(state).not.toBe('page=2');
    },
  },
  {
    name: 'protocol-refusal',
    fault: 'protocol-refusal',
    rule: { ...ONCE, params: { reason: 'missing-capability', capability: 'elicitation' } },
    hasOwnAnswers: true,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      if (isPipe(stage)) {
        expect(errorOf(stage, 1)).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } });
      } else expect(statuses(stage)).toEqual([400]);
      expect(executions(stage, 'pay')).toBe(0);
      await callTool(stage, 2, 'pay');
      expect(dataOf(stage, 2)['receipt']).toBe(1);
    },
  },
  {
    name: 'task-stuck',
    fault: 'task-stuck',
    rule: ONCE,
    async play(stage) {
      for (const id of [1, 2]) {
        stage.send({ jsonrpc: '2.0', id, method: 'tasks/get', params: { taskId: 't-1' } });
        await answered(stage, id);
      }
      expect([1, 2].map((id) => resultOf(stage, id))).toEqual([
        { taskId: 't-1', status: 'working' },
        { taskId: 't-1', status: 'completed' },
      ]);
      expect(servedMethods(stage).filter((method) => method === 'tasks/get')).toHaveLength(2);
    },
  },
  {
    name: 'server-restart',
    fault: 'server-restart',
    rule: { ...firstOnly('tools/call'), params: { downMs: 60 } },
    notModern: 'A modern server has no session that it could forget: it is down, and then it is up again.',
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('a broken connection', () => stage.seen.some(({ what }) => what === 'broken' || what === 'refused'));
      // Whoever comes too early is refused, and leaves no trace.
      while (statuses(stage).length === 0) {
        await stage.pass(100);
        const before = stage.seen.length;
        stage.send(toolCall(2, 'pay'));
        await stage.until('an outcome', () => stage.seen.length > before);
      }
      expect(statuses(stage)).toEqual([404]);
      expect(executions(stage, 'pay')).toBe(0);
      expect(await stage.hello()).toBe(true);
      await callTool(stage, 3, 'pay');
      expect(dataOf(stage, 3)['receipt']).toBe(1);
      await reported(stage, ['disconnected', 'http-error', 'ok']);
    },
  },
  {
    name: 'session-lost-in-body',
    fault: 'session-lost',
    rule: { ...firstOnly('tools/call'), params: { status: '200' } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'read');
      expect([1, 2].map((id) => errorOf(stage, id)['message'])).toEqual(['Session not found', 'Session not found']);
      expect(executions(stage, 'pay') + executions(stage, 'read')).toBe(0);
      expect(await stage.hello()).toBe(true);
      await callTool(stage, 3, 'pay');
      expect(dataOf(stage, 3)['receipt']).toBe(1);
    },
  },
];
