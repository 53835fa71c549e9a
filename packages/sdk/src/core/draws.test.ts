import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { engagementsOf } from './decide.js';
import { callFrame, decider, ROLES, rule } from './fixtures/rules.js';
import type { At, Plan, Rule, Shape } from './plan.js';
import { keyedRandom } from './random.js';
import { startSession, type Session } from './session.js';

type Call = { readonly session: string; readonly tool: string; readonly args: number };

/** Plays calls and tells, per rule, on which call of which session it fired (suppressed or not), with scope and match. */
function play(rules: readonly Rule[], calls: readonly Call[], plan: Partial<Plan> = {}): Map<string, string[]> {
  const deciding = decider(rules, plan, true);
  const sessions = new Map<string, Session>();
  const fired = new Map<string, string[]>(rules.map(({ id }) => [id, []]));
  for (const call of calls) {
    const session = sessions.get(call.session) ?? startSession({ label: call.session });
    sessions.set(call.session, session);
    const { exchange } = deciding.request(session, callFrame(call.tool, { n: call.args }), 0);
    for (const engagement of engagementsOf(exchange!)) {
      fired.get(engagement.rule.id)!.push(`${call.session} ${exchange!.ordinal} ${engagement.scope} ${engagement.match}`);
    }
  }
  for (const list of fired.values()) list.sort();
  return fired;
}

const anyAt: fc.Arbitrary<At> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  fc.record({ nth: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }) }),
  fc.record({ every: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ first: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ after: fc.record({ matches: fc.nat(5) }), until: fc.record({ matches: fc.integer({ min: 3, max: 12 }) }) }),
  fc.record({ oncePer: fc.constantFrom('args', 'session', 'tool') }),
);

const chain = (scopes: readonly ('call' | 'tool' | 'session' | 'plan')[]): fc.Arbitrary<Shape> =>
  fc.record({
    kind: fc.constantFrom('burst', 'episode'),
    rate: fc.double({ min: 0.05, max: 0.6, noNaN: true }),
    meanLength: fc.integer({ min: 1, max: 5 }),
    scope: fc.constantFrom(...scopes),
  });

const anyShape = (chains: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  fc.oneof(
    { arbitrary: fc.constant<Shape>({ kind: 'iid' }), weight: 3 },
    chains,
    fc.record({
      kind: fc.constant('ramp'),
      from: fc.constant(0),
      to: fc.constant(1),
      over: fc.record({ matches: fc.integer({ min: 1, max: 9 }) }),
    }),
  );

const anyRules = (chains: fc.Arbitrary<Shape>): fc.Arbitrary<Rule[]> =>
  fc
    .array(
      fc.record({
        role: fc.constantFrom(...ROLES),
        at: anyAt,
        shape: anyShape(chains),
        probability: fc.constantFrom(0, 0.2, 0.5, 0.9, 1),
        when: fc.constantFrom({}, { tool: ['a'] }, { tool: ['b*'] }, { session: ['one'] }, { args: { n: 1 } }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((list) => list.map((given, index) => rule(`rule-${index}`, given)));

const anyCalls = (session: fc.Arbitrary<string>): fc.Arbitrary<Call[]> =>
  fc.array(fc.record({ session, tool: fc.constantFrom('a', 'b1', 'b2'), args: fc.nat(2) }), { maxLength: 40 });

describe('draws', () => {
  test('are the same for the same calls whatever the interleaving of sessions', () => {
    const order = fc.array(fc.nat(2), { maxLength: 120 });
    const conversations = fc.tuple(...['one', 'two', 'three'].map((label) => anyCalls(fc.constant(label))));
    fc.assert(
      fc.property(
        anyRules(chain(['call', 'tool', 'session'])),
        conversations,
        order,
        order,
        fc.nat(),
        (rules, sessions, one, other, seed) => {
          const merged = (picks: readonly number[]): Call[] => {
            const left = sessions.map((calls) => [...calls]);
            const taken = picks.flatMap((pick) => left[pick]!.splice(0, 1));
            return [...taken, ...left.flat()];
          };
          expect(play(rules, merged(one), { seed })).toEqual(play(rules, merged(other), { seed }));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('of a rule do not change when other rules are added, removed or reordered', () => {
    fc.assert(
      fc.property(
        anyRules(chain(['call', 'tool', 'session', 'plan'])).chain((rules) =>
          fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: 1 })),
        ),
        anyCalls(fc.constantFrom('one', 'two')),
        fc.option(fc.nat(10), { nil: undefined }),
        ([rules, some], calls, maxFaults) => {
          const all = play(rules, calls, { limits: { maxFaults, maxMinutes: undefined } });
          for (const [id, fired] of play(some, calls)) expect([id, fired]).toEqual([id, all.get(id)]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('of the fault itself depend on scope and match alone, not on who else draws', () => {
    const delays = (rules: readonly Rule[]): number[] => {
      const deciding = decider(rules);
      const session = startSession();
      return Array.from({ length: 5 }, () => {
        const [first] = deciding.request(session, callFrame('a'), 0).effects!;
        return first?.kind === 'forward' ? first.afterMs : Number.NaN;
      });
    };
    const alone = delays([rule('slow', { role: 'shaping' })]);
    expect(new Set(alone).size).toBe(5);
    expect(delays([rule('edit', { role: 'data' }), rule('slow', { role: 'shaping' }), rule('more', { role: 'extra' })])).toEqual(alone);
  });

  test('follow the published key: session label, tool and number of the match', () => {
    const deciding = decider([rule('half', { probability: 0.5 })]);
    const session = startSession({ label: 'agent#1' });
    const stream = keyedRandom(42).stream('half', 'agent#1/search');
    for (let match = 1; match <= 200; match++) {
      const { effects } = deciding.request(session, callFrame('search'), 0);
      expect(effects !== undefined).toBe(stream.draw(match, 0) < 0.5);
    }
  });

  test('count matches per tool and session', () => {
    const fired = play(
      [rule('second', { at: { nth: [2] } })],
      [
        { session: 's', tool: 'a', args: 0 },
        { session: 's', tool: 'b1', args: 0 },
        { session: 't', tool: 'a', args: 0 },
        { session: 's', tool: 'a', args: 0 },
      ],
    );
    expect(fired.get('second')).toEqual(['s 3 s/a 2']);
  });

  test.each([
    ['args', ['s 1 s/a 1', 's 2 s/b1 1', 's 4 s/a 3', 't 1 t/a 1']],
    ['tool', ['s 1 s/a 1', 's 2 s/b1 1', 't 1 t/a 1']],
    ['session', ['s 1 s/a 1', 't 1 t/a 1']],
  ] as const)('fire at most once per %s where a rule says so', (oncePer, expected) => {
    const calls: Call[] = [
      { session: 's', tool: 'a', args: 0 },
      { session: 's', tool: 'b1', args: 0 },
      { session: 's', tool: 'a', args: 0 },
      { session: 's', tool: 'a', args: 1 },
      { session: 't', tool: 'a', args: 0 },
    ];
    expect(play([rule('once', { at: { oncePer } })], calls).get('once')).toEqual(expected);
  });
});
