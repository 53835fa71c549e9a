import { describe, expect, test } from 'vitest';
import { handClock } from '../core/fixtures/hand-clock.js';
import { createHealth, safeReason, type HealthCheck } from './health.js';

const ask = (checks: Record<string, HealthCheck>, clock = handClock()): ReturnType<typeof createHealth> =>
  createHealth({ checks, clock, timeoutMs: 2000, keepMs: 1000 });

test('without dependencies all is well', async () => {
  expect(await ask({})()).toEqual({ status: 'ok', checks: {} });
});

test.each<[string, HealthCheck, string]>([
  ['rejects', () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:5432')), 'connect ECONNREFUSED 127.0.0.1:5432'],
  [
    'throws',
    () => {
      throw new Error('no table "users"');
    },
    'no table "users"',
  ],
  ['says false', () => false, 'not well'],
  ['says why', async () => 'replica lags 40 s', 'replica lags 40 s'],
  [
    'throws what is no error',
    () => {
      throw undefined as unknown as Error;
    },
    'undefined',
  ],
  [
    'fails without words',
    () => Promise.reject(new AggregateError([new Error('connect ECONNREFUSED ::1:5432')])),
    'connect ECONNREFUSED ::1:5432',
  ],
])('a dependency that %s makes the server unavailable, with the reason', async (_, check, reason) => {
  const report = await ask({ cache: () => true, database: check })();
  expect(report).toMatchObject({ status: 'unavailable', reason: `database: ${reason}` });
  expect(report.checks['cache']).toMatchObject({ ok: true });
});

test('a dependency that never answers is unavailable after the timeout', async () => {
  const clock = handClock();
  const report = ask({ database: () => new Promise(() => {}) }, clock)();
  clock.advance(2000);
  expect(await report).toMatchObject({ reason: 'database: no answer within 2000 ms' });
  expect(clock.pending).toBe(0);
});

test('many who ask at once, or right after, are one question', async () => {
  const clock = handClock();
  let asked = 0;
  const health = ask({ database: () => void asked++ }, clock);
  await Promise.all([health(), health(), health()]);
  await health();
  expect(asked).toBe(1);
  clock.advance(1000);
  await health();
  expect(asked).toBe(2);
});

describe('a reason for strangers', () => {
  test.each([
    ['connect to postgres://app:hunter2@db:5432/shop failed', 'connect to postgres://***@db:5432/shop failed'],
    ['password=hunter2 was wrong', 'password=*** was wrong'],
    ['Authorization: Bearer abc.def refused', 'Authorization: *** refused'],
    ['two\n  lines', 'two lines'],
    ['', 'not well'],
  ])('%j', (given, said) => {
    expect(safeReason(new Error(given) satisfies Error)).toBe(given === '' ? 'Error' : said);
    if (given !== '') expect(safeReason(given)).toBe(said);
  });

  test('has a length', () => {
    expect(safeReason('x'.repeat(1e6))).toHaveLength(300);
  });
});
