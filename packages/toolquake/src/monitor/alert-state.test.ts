import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAlertState, type AlertNotice, type AlertRules } from './alert-state.js';

const RULES: AlertRules = { failures: 2, slowFactor: 2, slowOver: 10, quietUntilMs: 5000 };

/** What is said about a row of probes, one a second: `.` up, `x` down, a number of milliseconds otherwise. */
function noticesOf(row: readonly (string | number)[], rules = RULES): readonly AlertNotice[] {
  const state = createAlertState(rules);
  return row.flatMap((probe, index) =>
    state.take({
      atMs: index * 1000,
      isUp: probe !== 'x',
      reason: probe === 'x' ? 'connection_refused' : null,
      totalMs: typeof probe === 'number' ? probe : 30,
    }),
  );
}

const told = (row: readonly (string | number)[], rules = RULES): readonly string[] =>
  noticesOf(row, rules).map(({ state, rule, reason, atMs }) => `${atMs / 1000} ${state} ${rule} ${reason}`);

describe('failures in a row', () => {
  test('alert at the second one, once, and end with the second success', () => {
    expect(told('..xxxx...xx..'.split(''))).toEqual([
      '3 firing consecutive_failures connection_refused',
      '7 resolved consecutive_failures connection_refused',
      '10 firing consecutive_failures connection_refused',
      '12 resolved consecutive_failures connection_refused',
    ]);
    expect(noticesOf('..xx..'.split(''))).toMatchObject([
      { sinceMs: 2000, incident: 1 },
      { sinceMs: 2000, incident: 1 },
    ]);
  });

  test('a single lost probe is none, however often it happens', () => {
    expect(told('.x.x.x.x.x'.split(''))).toEqual([]);
    expect(told('xx.x.x..'.split(''))).toHaveLength(2);
  });

  test('every alert is followed by its end, and never by another alert', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('.', 'x', 500), { maxLength: 200 }), fc.integer({ min: 1, max: 4 }), (row, failures) => {
        for (const rule of ['consecutive_failures', 'latency']) {
          const states = noticesOf(row, { ...RULES, failures }).filter((notice) => notice.rule === rule);
          expect(states.map(({ state }) => state)).toEqual(states.map((_, index) => (index % 2 === 0 ? 'firing' : 'resolved')));
          expect(states.map(({ incident }) => incident)).toEqual(states.map((_, index) => Math.floor(index / 2) + 1));
        }
      }),
    );
  });
});

describe('latency', () => {
  const quiet = [40, 42, 38, 41, 40];

  test('slow probes that were overtaken by quick ones are no news of slowness', () => {
    const state = createAlertState(RULES);
    const take = (atMs: number, totalMs: number, isLate = false): readonly string[] =>
      state.take({ atMs, isUp: true, reason: null, totalMs, isLate }).map(({ state: word }) => word);
    for (const [index, totalMs] of quiet.entries()) take(index * 1000, totalMs);
    expect([...take(6000, 2000), ...take(7000, 2000)]).toEqual(['firing']);
    expect([...take(8000, 40), ...take(8100, 2000, true), ...take(9000, 40)]).toEqual(['resolved']);
    expect([...take(9100, 2000, true), ...take(9200, 2000, true), ...take(10_000, 100), ...take(11_000, 40)]).toEqual([]);
  });

  test('alerts when the p95 is above twice that of the quiet phase, and ends when it is as before', () => {
    expect(told([...quiet, 41, 39, 2000, 2000, 2000, 40, 40])).toEqual([
      '8 firing latency latency_anomaly',
      '11 resolved latency latency_anomaly',
    ]);
  });

  test('one slow probe is none, nor is what was slow from the start', () => {
    expect(told([...quiet, 40, 2000, 40, 40, 2000, 40])).toEqual([]);
    expect(told([800, 900, 850, 800, 900, 850, 900, 800, 900, 1200, 1200])).toEqual([]);
  });

  test('a quick server may take twice as long: nobody feels 50 ms', () => {
    expect(told([4, 4, 4, 4, 4, 12, 12, 12, 49, 49])).toEqual([]);
    expect(told([4, 4, 4, 4, 4, 12, 12, 12, 90, 90])).toHaveLength(1);
  });

  test('without a quiet phase nothing is known, so nothing is said', () => {
    expect(told([4, 4, 4000, 4000, 4000], { ...RULES, quietUntilMs: 1500 })).toEqual([]);
  });
});
