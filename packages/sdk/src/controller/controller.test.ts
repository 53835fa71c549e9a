import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callFrame, rule } from '../core/fixtures/rules.js';
import { handClock } from '../core/fixtures/hand-clock.js';
import { createLiveDecider, engagementsOf, type LiveDecider } from '../core/decide.js';
import { createCatalogue } from '../core/fault.js';
import { frameFromMessage } from '../core/frame.js';
import type { JournalEntry } from '../core/journal.js';
import { EMPTY_PLAN, type Plan, type Rule } from '../core/plan.js';
import { keyedRandom } from '../core/random.js';
import { startSession, type Session } from '../core/session.js';
import { createController, DEFAULT_DURATION_MS, MAX_INJECTED, type ChaosController } from './controller.js';

const fault = rule('any').fault;

type Rig = {
  controller: ChaosController;
  decider: LiveDecider;
  clock: ReturnType<typeof handClock>;
  session: Session;
  releases: number[];
  /** Rules that are gone, one text for each time. */
  ended: string[];
  /** What the journal was told. */
  told: JournalEntry[];
  /** Ids of the rules that fire on the next call. */
  call(tool?: string): string[];
};

function rig(rules: readonly Rule[] = [], guarded?: string): Rig {
  const plan: Plan = { ...EMPTY_PLAN, seed: 42, rules };
  const clock = handClock();
  const releases: number[] = [];
  const decider = createLiveDecider({ plan, random: keyedRandom(42), transport: 'simulator', startedAtMs: 0, observesAll: true });
  const release = (): void => void releases.push(clock.nowMs());
  const ended: string[] = [];
  const endRules = (ids: readonly string[]): void => void (ids.length > 0 && ended.push(ids.join(' ')));
  const told: JournalEntry[] = [];
  const journal = (entry: JournalEntry): void => void told.push(entry);
  const controller = createController({ plan, decider, clock, catalogue: createCatalogue({ fault }), release, endRules, guarded, journal });
  const session = startSession();
  const call = (tool = 'search'): string[] => {
    const { exchange } = decider.request(session, callFrame(tool), clock.nowMs());
    return exchange === undefined ? [] : engagementsOf(exchange).map((one) => one.rule.id);
  };
  return { controller, decider, clock, session, releases, ended, told, call };
}

const half = (id: string): Rule => rule(id, { probability: 0.5 });
/** An equal rule that is another object, as a file read again gives it. */
const again = (rules: readonly Rule[]): Plan => ({ ...EMPTY_PLAN, seed: 42, rules: rules.map((one) => ({ ...one })) });

describe('a reload', () => {
  test('keeps the draws of rules that did not change, wherever it falls and whatever comes or goes beside them', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('call', 'reload', 'add', 'drop'), { maxLength: 40 }), (steps) => {
        const calm = rig([half('kept')]);
        const shaken = rig([half('kept')]);
        for (const step of steps) {
          if (step === 'call') {
            expect(shaken.call().includes('kept')).toBe(calm.call().includes('kept'));
          } else shaken.controller.replacePlan(again(step === 'add' ? [half('new'), half('kept')] : [half('kept')]));
        }
      }),
    );
  });

  test('starts a changed rule afresh', () => {
    const { controller, call } = rig([rule('once', { at: { first: 1 } })]);
    expect([call(), call()]).toEqual([['once'], []]);
    controller.replacePlan(again([rule('once', { at: { first: 1 }, probability: 1, when: { tool: ['search'] } })]));
    expect(call()).toEqual(['once']);
  });

  test('leaves exchanges under way the engagements they have', () => {
    const { controller, decider, session } = rig([rule('kept')]);
    const { exchange } = decider.request(session, callFrame('search'), 0);
    controller.replacePlan(again([]));
    expect(engagementsOf(exchange!).map((one) => one.rule.id)).toEqual(['kept']);
  });
});

describe('injected rules', () => {
  test('any interleaving of inject, clear and time equals a model', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('inject' as const), durationMs: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ kind: fc.constant('clear' as const), nth: fc.nat(10) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ kind: fc.constant('clear-all' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { controller, clock, call } = rig();
        let model: { id: string; endsAtMs: number }[] = [];
        const ids: string[] = [];
        for (const one of steps) {
          if (one.kind === 'inject') {
            const id = controller.inject({ fault: fault.type }, one.durationMs);
            ids.push(id);
            model.push({ id, endsAtMs: clock.nowMs() + one.durationMs });
          } else if (one.kind === 'clear') {
            const id = ids[one.nth] ?? 'nobody';
            expect(controller.clear(id)).toBe(model.some((known) => known.id === id));
            model = model.filter((known) => known.id !== id);
          } else if (one.kind === 'wait') {
            clock.advance(one.ms);
            model = model.filter(({ endsAtMs }) => endsAtMs > clock.nowMs());
          } else {
            controller.clearAll();
            model = [];
          }
          expect(controller.list().map(({ id }) => id)).toEqual(model.map(({ id }) => id));
          expect(call()).toEqual(model.map(({ id }) => id).toReversed());
        }
      }),
    );
  });

  test('live fifteen minutes unless told otherwise', () => {
    const { controller, clock, call } = rig();
    controller.inject({ fault: fault.type });
    clock.advance(DEFAULT_DURATION_MS - 1);
    expect(call()).toHaveLength(1);
    clock.advance(1);
    expect(call()).toEqual([]);
  });

  test('are refused when wrong, with the nearest word, and change nothing', () => {
    const { controller } = rig([rule('mine')]);
    expect(() => controller.inject({ fault: 'act-termnal' })).toThrow(/unknown fault "act-termnal"/);
    expect(() => controller.inject({ fault: fault.type, probability: 2 })).toThrow(/from 0 to 1/);
    expect(() => controller.inject({ fault: fault.type }, Number.NaN)).toThrow(/durationMs/);
    expect(() => controller.inject({ fault: fault.type, id: 'mine' })).toThrow(/already/);
    expect(controller.list()).toEqual([]);
  });

  test('are at most a thousand', () => {
    const { controller } = rig();
    for (let count = 0; count < MAX_INJECTED; count++) controller.inject({ fault: fault.type });
    expect(() => controller.inject({ fault: fault.type })).toThrow(/1000 injected rules/);
  });

  test('are refused under a guard, with its reason', () => {
    const { controller } = rig([], 'NODE_ENV says "production"');
    expect(() => controller.inject({ fault: fault.type })).toThrow(/NODE_ENV says "production"/);
    expect(() => controller.replacePlan(again([rule('new')]))).toThrow(/production/);
  });
});

describe('the kill switch', () => {
  const reply = frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result: {} });

  test('passes everything at once, answers under way included, and lets go of what is held', () => {
    const { controller, decider, session, call, releases } = rig([rule('mine')]);
    const { exchange } = decider.request(session, callFrame('search'), 0);
    controller.kill();
    expect(releases).toEqual([0]);
    expect(call()).toEqual([]);
    expect(decider.answer(exchange!, reply, 0).effects).toBeUndefined();
    expect(engagementsOf(exchange!).map(({ why }) => why)).toEqual(['everything was suspended']);
  });

  test('stays pulled through injections and reloads, until it is revived', () => {
    const { controller, call } = rig([rule('mine')]);
    controller.kill();
    controller.inject({ fault: fault.type, id: 'late' });
    controller.replacePlan(again([rule('mine')]));
    expect(call()).toEqual([]);
    controller.revive();
    expect(call()).toEqual(['late', 'mine']);
  });

  test('draws nothing while it is pulled, so that later draws are the next ones', () => {
    const calm = rig([half('mine')]);
    const killed = rig([half('mine')]);
    killed.controller.kill();
    killed.call();
    killed.controller.revive();
    expect(Array.from({ length: 20 }, () => killed.call())).toEqual(Array.from({ length: 20 }, () => calm.call()));
  });
});

describe('the journal', () => {
  const listed = (id: string): object => ({ id, fault: fault.type });

  test('is told who changed which rules when, and never their parameters', () => {
    const { controller, clock, told } = rig([rule('kept'), rule('gone'), half('other')]);
    controller.inject({ fault: fault.type, id: 'late' }, 50);
    clock.advance(10);
    controller.replacePlan(again([rule('kept'), rule('other'), rule('new')]));
    controller.kill();
    controller.revive();
    clock.advance(40);
    controller.inject({ fault: fault.type, id: 'a' }, 1000);
    controller.clear('a');
    controller.inject({ fault: fault.type, id: 'b' }, 1000);
    controller.clearAll();
    const by = 'program';
    expect(told).toEqual([
      { kind: 'control', atMs: 0, what: 'inject', by, added: [listed('late')], lastsMs: 50 },
      { kind: 'control', atMs: 10, what: 'reload', by, added: [listed('other'), listed('new')], removed: ['gone'] },
      { kind: 'control', atMs: 10, what: 'kill', by },
      { kind: 'control', atMs: 10, what: 'revive', by },
      { kind: 'control', atMs: 50, what: 'expire', by: 'time', removed: ['late'] },
      { kind: 'control', atMs: 50, what: 'inject', by, added: [listed('a')], lastsMs: 1000 },
      { kind: 'control', atMs: 50, what: 'clear', by, removed: ['a'] },
      { kind: 'control', atMs: 50, what: 'inject', by, added: [listed('b')], lastsMs: 1000 },
      { kind: 'control', atMs: 50, what: 'clear-all', by, removed: ['b'] },
    ]);
  });

  test('rules that are gone are told to whatever performs them, however they went', () => {
    const { controller, clock, ended } = rig([rule('kept'), rule('gone'), half('other')]);
    controller.inject({ fault: fault.type, id: 'late' }, 50);
    clock.advance(50);
    controller.replacePlan(again([rule('kept'), rule('other')]));
    controller.inject({ fault: fault.type, id: 'a' });
    controller.clear('a');
    controller.inject({ fault: fault.type, id: 'b' });
    controller.inject({ fault: fault.type, id: 'c' });
    controller.clearAll();
    expect(ended).toEqual(['late', 'gone other', 'a', 'b c']);
  });

  test('is told nothing where nothing changed, and the new seed where there is one', () => {
    const { controller, told } = rig([rule('kept')]);
    expect(() => controller.inject({ fault: 'nobody' })).toThrow();
    controller.clear('nobody');
    controller.clearAll();
    controller.revive();
    expect(told).toEqual([]);
    controller.kill();
    controller.kill();
    expect(told).toHaveLength(1);
    controller.replacePlan({ ...again([rule('kept')]), seed: 7 });
    expect(told.at(-1)).toMatchObject({ what: 'reload', seed: 7, added: [listed('kept')], removed: [] });
  });
});
