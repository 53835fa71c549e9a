/** Ways to use a fault that the fault catalogue has a name of its own for: the rule makes the difference. */
import { expect } from 'vitest';
import { callTool, errorOf, fired, type Scenario } from './scenario.js';
import { answersTo, INITIALIZED } from './stage.js';

const NO_INITIALIZE = 'The modern era has no initialize.';

/** Scripts for them. */
export const ways: readonly Scenario[] = [
  {
    name: 'init-error',
    fault: 'error-response',
    rule: { when: { method: 'initialize' } },
    startsAlone: true,
    notModern: NO_INITIALIZE,
    async play(stage) {
      await stage.hello();
      expect(errorOf(stage, 0)['code']).toBe(-32603);
      expect(stage.served.map(({ method }) => method)).not.toContain('initialize');
    },
  },
  {
    name: 'init-hang',
    fault: 'hang',
    rule: { when: { method: 'initialize' } },
    startsAlone: true,
    notModern: NO_INITIALIZE,
    async play(stage) {
      // It waits for ever; the simulator knows that nothing will come and says so.
      stage.hello().catch(() => {});
      await fired(stage, 1);
      expect(stage.seen).toEqual([]);
      expect(stage.served).toEqual([]);
    },
  },
  {
    name: 'initialized-lost',
    fault: 'hang',
    rule: { at: { nth: [2] }, when: { method: 'notifications/initialized' } },
    notModern: NO_INITIALIZE,
    async play(stage) {
      // The one that the client said hello with went through.
      stage.send(INITIALIZED);
      await fired(stage, 1);
      await callTool(stage, 1, 'pay');
      expect(stage.served.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
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
      expect(stage.served.map(({ method }) => method)).not.toContain('ping');
    },
  },
];
