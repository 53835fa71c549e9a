import { describe, expect, test } from 'vitest';
import { createDecider, PASS, type Decider } from './decide.js';
import { answer } from './effect.js';
import { defineFault } from './fault.js';
import { callFrame, decider, rule } from './fixtures/rules.js';
import { frameFromMessage } from './frame.js';
import { EMPTY_PLAN, type Plan, type Rule } from './plan.js';
import { keyedRandom } from './random.js';
import { startSession, type Exchange } from './session.js';

describe('composition and limits', () => {
  const roles = (rules: readonly Rule[], plan: Partial<Plan> = {}, calls = 1): { by: string[]; suppressed: string[] } => {
    const deciding = decider(rules, plan);
    const session = startSession();
    const by: string[] = [];
    const suppressed: string[] = [];
    for (let call = 0; call < calls; call++) {
      const decision = deciding.request(session, callFrame('a'), call);
      by.push(...decision.by.map((engagement) => engagement.rule.id));
      suppressed.push(...decision.suppressed.map((engagement) => `${engagement.rule.id} by ${engagement.suppressedBy}`));
    }
    return { by, suppressed };
  };

  test('let one terminal rule act, the first in order that fires, and name it to those it beats', () => {
    const rules = [
      rule('edit', { role: 'data' }),
      rule('one'),
      rule('two'),
      rule('slow', { role: 'shaping' }),
      rule('more', { role: 'extra' }),
    ];
    expect(roles(rules)).toEqual({ by: ['one', 'slow', 'more'], suppressed: ['edit by one', 'two by one'] });
  });

  test('a rule with probability 0 never masks a later one', () => {
    expect(roles([rule('never', { probability: 0 }), rule('always')])).toEqual({ by: ['always'], suppressed: [] });
  });

  test('a rule that loses its draw lets later rules try', () => {
    const { by } = roles([rule('half', { probability: 0.5 }), rule('rest')], {}, 200);
    expect(by).toHaveLength(200);
    expect(new Set(by)).toEqual(new Set(['half', 'rest']));
  });

  test('maxFaults silences what comes after, and says so', () => {
    const { by, suppressed } = roles([rule('all')], { limits: { maxFaults: 3, maxMinutes: undefined } }, 5);
    expect(by).toEqual(['all', 'all', 'all']);
    expect(suppressed).toEqual(['all by limits.maxFaults', 'all by limits.maxFaults']);
  });

  test('what beats others does not fall to the limit that they would use up', () => {
    const rules = [rule('slow', { role: 'shaping' }), rule('edit', { role: 'data' }), rule('stop')];
    const { by, suppressed } = roles(rules, { limits: { maxFaults: 1, maxMinutes: undefined } });
    expect(by).toEqual(['stop']);
    expect(suppressed).toEqual(['slow by limits.maxFaults', 'edit by stop']);
  });

  test('maxMinutes ends the plan by the clock', () => {
    const deciding = decider([rule('all')], { limits: { maxFaults: undefined, maxMinutes: 1 } });
    expect(deciding.request(startSession(), callFrame('a'), 60_000).effects).toBeDefined();
    expect(deciding.request(startSession(), callFrame('a'), 60_001).suppressed[0]?.suppressedBy).toBe('limits.maxMinutes');
  });
});

describe('traffic that no rule cares about', () => {
  test('gets one shared constant', () => {
    const deciding = decider([rule('search', { when: { tool: ['search'] } })]);
    const session = startSession();
    expect(deciding.request(session, callFrame('fetch'), 0)).toBe(PASS);
    expect(deciding.request(session, frameFromMessage('to-server', { id: 1, method: 'ping' }), 0)).toBe(PASS);
    expect(deciding.request(session, frameFromMessage('to-server', undefined), 0)).toBe(PASS);
    expect(deciding.connect(session, 0)).toBe(PASS);
    expect(session.waiting['to-server'].size).toBe(0);
    expect(session.requests['to-server']).toBe(2);
  });

  test('is not even looked at when no rule is enabled', () => {
    expect(decider([rule('off', { isEnabled: false })]).isActive).toBe(false);
    expect(decider([], {}, true).isActive).toBe(true);
  });

  test('opens an exchange all the same when everything is observed', () => {
    const { exchange, effects } = decider([], {}, true).request(startSession(), callFrame('a'), 5, 'task-1');
    expect(exchange).toMatchObject({ ordinal: 1, method: 'tools/call', tool: 'a', task: 'task-1', startedAtMs: 5 });
    expect(effects).toBeUndefined();
  });
});

describe('faults', () => {
  const answered = (deciding: Decider, exchange: Exchange, result: unknown): void => {
    deciding.answer(exchange, frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result }), 0);
  };

  test('that throw leave the other rules at work, and the error is handed over', () => {
    const broken = defineFault({
      type: 'broken',
      summary: 'Throws.',
      carriers: ['mcp'],
      role: 'terminal',
      params: {},
      decide: () => {
        throw new Error('our own mistake');
      },
    });
    const decision = decider([rule('broken', { fault: broken }), rule('slow', { role: 'shaping' })]).request(
      startSession(),
      callFrame('a'),
      0,
    );
    expect(decision.by.map((engagement) => engagement.rule.id)).toEqual(['slow']);
    expect(decision.problems).toEqual([new Error('our own mistake')]);
  });

  test('with a memory see the answers that their own rule leaves alone, whatever other rules do', () => {
    const seen: string[] = [];
    const watcher = defineFault({
      type: 'watcher',
      summary: 'Watches.',
      carriers: ['mcp'],
      role: 'data',
      params: {},
      memory: () => ({ answers: 0 }),
      observe: (event, _params, { memory }) => {
        memory.answers++;
        if (event.kind === 'frame') seen.push(`${event.exchange.ordinal}:${memory.answers}`);
      },
      decide: () => [],
    });
    const deciding = decider([rule('watch', { fault: watcher, at: { nth: [2] } }), rule('slow', { role: 'shaping' })]);
    const session = startSession();
    for (let call = 0; call < 4; call++) answered(deciding, deciding.request(session, callFrame('a'), 0).exchange!, {});
    expect(seen).toEqual(['1:1', '3:2', '4:3']);
  });

  test('until recovered stop in a scope once it answers by itself again', () => {
    const deciding = decider([rule('flaky', { at: { until: 'recovered', every: 2 } })]);
    const session = startSession();
    const fired = ['a', 'a', 'a', 'b', 'b', 'a', 'b', 'b'].map((tool, call) => {
      const { exchange, effects } = deciding.request(session, callFrame(tool), 0);
      // The first call of all succeeds before anything fired: that is no recovery. An error is none either.
      if (effects === undefined) answered(deciding, exchange!, { isError: tool === 'b' && call < 7 });
      return effects !== undefined;
    });
    expect(fired).toEqual([false, true, false, false, true, false, false, true]);
  });

  test('until recovered do not take an answer for their recovery that another rule kept them from', () => {
    const firings = (rules: Parameters<typeof decider>[0]): string[] => {
      const deciding = decider(rules);
      const session = startSession();
      return [1, 2, 3, 4].flatMap((call) => {
        const { exchange, by, suppressed } = deciding.request(session, callFrame('a'), 0);
        if (exchange !== undefined) answered(deciding, exchange, {});
        return [...by, ...suppressed].filter((engagement) => engagement.rule.id === 'A').map(() => `${call}`);
      });
    };
    const flaky = rule('A', { at: { until: 'recovered' } });
    expect(firings([flaky])).toEqual(['1', '2', '3', '4']);
    expect(firings([rule('B', { at: { first: 1 } }), flaky])).toEqual(['1', '2', '3', '4']);
  });

  test('on connections draw per session and see no exchange', () => {
    const refuse = defineFault({
      type: 'refuse',
      summary: 'Refuses.',
      carriers: ['http'],
      role: 'terminal',
      trigger: 'connect',
      params: {},
      decide: () => [answer(undefined)],
    });
    const deciding = decider([rule('refuse', { fault: refuse, when: { session: ['one'] }, at: { first: 1 } }), rule('call')]);
    const one = startSession({ label: 'one' });
    expect(deciding.connect(one, 0)).toMatchObject({ exchange: undefined, by: [{ scope: 'one/connect', match: 1 }] });
    expect(deciding.connect(one, 0)).toBe(PASS);
    expect(deciding.connect(startSession({ label: 'two' }), 0)).toBe(PASS);
  });
});

test('memory stays bounded when a client invents tools, methods and arguments', () => {
  const remembered: unknown[] = [];
  const hoarder = defineFault({
    type: 'hoarder',
    summary: 'Has a memory.',
    carriers: ['mcp'],
    role: 'extra',
    methods: ['*'],
    params: {},
    memory: () => {
      const memory = {};
      remembered.push(memory);
      return memory;
    },
    decide: () => [],
  });
  const scopes = new Set<string>();
  const random = keyedRandom(1);
  const deciding = createDecider({
    plan: { ...EMPTY_PLAN, rules: [rule('all', { fault: hoarder }), rule('once', { role: 'extra', at: { oncePer: 'args' } })] },
    random: {
      stream: (ruleId, scope) => {
        scopes.add(`${ruleId} ${scope}`);
        return random.stream(ruleId, scope);
      },
    },
    transport: 'simulator',
    startedAtMs: 0,
  });
  const session = startSession();
  for (let call = 0; call < 100_000; call++) {
    const frame = callFrame(`tool-${call}`);
    const { exchange } = deciding.request(session, frame, 0);
    if (call % 10 === 0) deciding.request(session, frameFromMessage('to-server', { method: `method-${call}` }), 0);
    session.waiting['to-server'].delete(exchange!.id!);
  }
  // One stream per scope and rule: 4096 of their own and one that the rest share.
  expect(scopes.size).toBe(2 * 4097);
  expect(remembered.length).toBeLessThanOrEqual(4097);
  expect(session.scopeKeys.size).toBeLessThanOrEqual(1024);
});
