/** Processes that die, connections that never come about or break, lines that are thin or swallow everything. */
import { expect } from 'vitest';
import { callTool, comeBack, dataOf, fired, ONCE, reported, type Scenario } from './scenario.js';
import { isPipe, answersTo, executions, toolCall, type Seen, type Stage } from './stage.js';

const isBroken = ({ what }: Seen): boolean => what === 'broken';

/** All answers come to the client in one line: a pipe, or the stream of HTTP+SSE, whose POSTs were accepted already. */
const hasOneLine = ({ name }: Stage): boolean => isPipe({ name }) || name === 'http-legacy-sse';

/** A connection fails with a code, for a while. */
const failsToConnect = (code: string) => async (stage: Stage) => {
  expect(await stage.hello()).toBe(false);
  await comeBack(stage);
  await callTool(stage, 1, 'pay');
  expect(stage.seen[0]).toEqual({ what: 'refused', code });
  expect(executions(stage, 'pay')).toBe(1);
};

/** Scripts for them. */
export const wireFaults: readonly Scenario[] = [
  {
    name: 'crash',
    fault: 'crash',
    rule: { ...ONCE, when: { tool: 'pay', session: 'agent#1' }, phase: 'post', params: { downMs: 500 } },
    // On a pipe the conversation ends with the server.
    hasOwnAnswers: true,
    async play(stage) {
      stage.send(toolCall(1, 'read', { wait: true }));
      await stage.until('the first call is with the server', () => executions(stage, 'read') === 1);
      stage.send(toolCall(2, 'pay'));
      const lines = hasOneLine(stage) ? 1 : 2;
      await stage.until('broken connections', () => stage.seen.filter(isBroken).length === lines);
      await reported(stage, ['disconnected', 'disconnected']);
      expect(executions(stage, 'pay')).toBe(1);
      expect([...answersTo(stage, 1), ...answersTo(stage, 2)]).toEqual([]);
      if (isPipe(stage)) return;
      expect(await stage.hello()).toBe(false);
      await comeBack(stage);
      expect(stage.seen).toContainEqual({ what: 'refused' });
      await callTool(stage, 3, 'pay');
      expect(dataOf(stage, 3)['receipt']).toBe(2);
    },
  },
  {
    name: 'dns-failure',
    fault: 'dns-failure',
    rule: { ...ONCE, params: { code: 'EAI_AGAIN', forMs: 500 } },
    startsAlone: true,
    play: failsToConnect('EAI_AGAIN'),
  },
  {
    name: 'tls-failure',
    fault: 'tls-failure',
    rule: { ...ONCE, params: { reason: 'self-signed', forMs: 500 } },
    startsAlone: true,
    play: failsToConnect('DEPTH_ZERO_SELF_SIGNED_CERT'),
  },
  ...[
    { name: 'truncate', fault: 'truncate', params: { keepRatio: 0.5, how: 'end' } },
    { name: 'truncate, reset', fault: 'truncate', params: { keepRatio: 0.5, how: 'reset' } },
    { name: 'connection-drop, after bytes', fault: 'connection-drop', params: { afterBytes: 60 } },
  ].map(({ name, fault, params }): Scenario => ({
    name,
    fault,
    rule: { ...ONCE, phase: 'post', params },
    notOn: { 'in-process': 'A message is an object there: it has no bytes to count.' },
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('a broken connection', () => stage.seen.some(isBroken));
      await reported(stage, ['disconnected']);
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(1);
      if (stage.name === 'simulator') return;
      // The first bytes came: as a last line without an end, or as bytes of a body.
      if (stage.name === 'stdio') expect(stage.seen).toContainEqual({ what: 'garbage' });
      else expect(stage.seen.flatMap((one) => (one.what === 'broken' ? [one.bytes ?? 0] : []))[0]).toBeGreaterThan(50);
    },
  })),
  {
    name: 'connection-drop, ended',
    fault: 'connection-drop',
    rule: { ...ONCE, params: { how: 'end', afterMs: 10 } },
    async play(stage) {
      stage.send(toolCall(1, 'pay'));
      await stage.until('a broken connection', () => stage.seen.some(isBroken));
      await reported(stage, ['disconnected']);
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(0);
    },
  },
  {
    name: 'blackhole',
    fault: 'blackhole',
    rule: { ...ONCE, when: { tool: 'pay' }, params: { forMs: 300 } },
    async play(stage) {
      const startedAtMs = stage.nowMs();
      stage.send(toolCall(1, 'pay'));
      await fired(stage, 1);
      stage.send(toolCall(2, 'read'));
      await fired(stage, 2);
      await stage.pass(310);
      await callTool(stage, 3, 'pay');
      expect(stage.nowMs() - startedAtMs).toBeGreaterThanOrEqual(300);
      expect([...answersTo(stage, 1), ...answersTo(stage, 2)]).toEqual([]);
      expect([executions(stage, 'pay'), executions(stage, 'read')]).toEqual([1, 0]);
    },
  },
  {
    name: 'bandwidth',
    fault: 'bandwidth',
    rule: { params: { kilobytesPerSecond: 1 } },
    async play(stage) {
      const startedAtMs = stage.nowMs();
      await callTool(stage, 1, 'pay');
      // About 150 bytes.
      expect(stage.nowMs() - startedAtMs).toBeGreaterThanOrEqual(100);
      expect(dataOf(stage, 1)['note']).toBe('paid: 5 €');
      const pieces = stage.seen.flatMap((one) => (one.what === 'message' && one.message['id'] === 1 ? [one.pieces ?? 1] : []));
      expect(pieces[0]).toBeGreaterThan(3);
    },
  },
];
