import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FailureFacts } from '../../core/connection.js';
import { PLAIN } from '../../reporters/figures.js';
import { clueIn } from './clue.js';
import { judgeAuth } from './judge-auth.js';
import { judgeHellos } from './judge-hellos.js';
import { judgeSmoke, type SmokeMeasurement } from './judge-smoke.js';
import { failed, outcomeOf, passed, skipped } from './outcome.js';
import { smokeLines } from './render/console.js';
import { renderSmokeAnnotations, renderSmokeJunit } from './render/machine.js';
import { renderSmokeMarkdown } from './render/markdown.js';
import { SMOKE_BUDGETS_MS, type MeasuredStep, type SmokeOutcome, type SmokeServer } from './smoke-report.js';

const step = (name: MeasuredStep['step'], outcome: SmokeOutcome, durationMs: number = 10): MeasuredStep => ({
  ...outcome,
  step: name,
  durationMs,
});

const measured = (...steps: readonly MeasuredStep[]): SmokeMeasurement => ({
  target: 'shop',
  startedAt: '2026-01-01T00:00:00.000Z',
  server: null,
  ready: { attempts: 1, waitedMs: 0, maxMs: 15_000, failure: null },
  totalMs: 1234,
  budgets: SMOKE_BUDGETS_MS,
  steps,
});

describe('the verdict', () => {
  test('is a pass when every step passed or was left out', () => {
    const report = judgeSmoke(measured(step('dial', passed('fine')), step('hello', passed('fine')), step('calls', skipped('no call'))));
    expect(report.verdict).toBe('passed');
    expect(report.steps.map(({ state }) => state)).toEqual(['passed', 'passed', 'skipped', 'skipped', 'skipped']);
  });

  test('is the worst step: failed, then unknown, then inconclusive', () => {
    const unsure: SmokeOutcome = { ...failed('manifest_changed', 'who knows'), state: 'inconclusive' };
    const ours = failed('probe_config_error', 'a secret is missing');
    expect(judgeSmoke(measured(step('manifest', unsure))).verdict).toBe('inconclusive');
    expect(judgeSmoke(measured(step('manifest', unsure), step('calls', ours))).verdict).toBe('unknown');
    expect(judgeSmoke(measured(step('calls', ours), step('auth', failed('deploy_auth_open', 'open')))).verdict).toBe('failed');
  });

  test('fails a step that passed after its budget', () => {
    const { verdict, steps } = judgeSmoke(measured(step('dial', passed('fine'), 3001)));
    expect(verdict).toBe('failed');
    expect(steps[0]).toMatchObject({ reason: 'deploy_too_slow', budgetMs: 3000, detail: expect.stringContaining('3001 ms') });
    expect(judgeSmoke(measured(step('dial', passed('fine'), 3000))).verdict).toBe('passed');
  });
});

describe('hellos', () => {
  const server = (version: string): SmokeServer => ({ name: 'shop', version, era: 'modern 2026-07-28', transport: 'http' });

  test('that meet two builds name both, also where one of them is the expected one', () => {
    const outcome = judgeHellos({ hellos: [server('1'), server('2'), server('1')], expectedVersion: '2' });
    expect(outcome).toMatchObject({
      reason: 'deploy_mixed',
      detail: 'several builds answer: shop 1 (2 of 3 hellos) and shop 2 (1 of 3 hellos); 2 expected everywhere',
    });
  });

  test('that agree on the wrong version fail, and on the right one pass', () => {
    expect(judgeHellos({ hellos: [server('1')], expectedVersion: '2' }).reason).toBe('deploy_wrong_version');
    expect(judgeHellos({ hellos: [server('2'), server('2')], expectedVersion: '2' }).state).toBe('passed');
    expect(judgeHellos({ hellos: [server('1')], expectedVersion: undefined }).state).toBe('passed');
  });
});

describe('a stranger', () => {
  const refusal = (reason: FailureFacts['reason']): FailureFacts => ({ reason, step: 'hello', detail: 'HTTP status' });

  test.each([
    [[], refusal('auth_required'), 'passed', null],
    [['hello'], refusal('auth_required'), 'passed', null],
    [['hello', 'tools/list'], undefined, 'failed', 'deploy_auth_open'],
    [[], refusal('auth_challenge_invalid'), 'failed', 'auth_challenge_invalid'],
    [[], refusal('auth_forbidden'), 'failed', 'auth_challenge_invalid'],
    [[], refusal('http_server_error'), 'failed', 'http_server_error'],
  ] as const)('who is answered %j and then %j: %s', (answered, given, state, reason) => {
    expect(judgeAuth({ answered, refusal: given })).toMatchObject({ state, reason });
  });
});

test('the worst finding speaks, warnings pass along, and what is our own fault judges nobody', () => {
  const warning = { reason: 'tools_empty', step: 'list', detail: 'no tools' } as const;
  const ours = { reason: 'probe_config_error', step: 'call', detail: 'may write' } as const;
  const theirs = { reason: 'canary_tool_error', step: 'call', detail: 'broken' } as const;
  expect(outcomeOf([], 'good').detail).toBe('good');
  expect(outcomeOf([warning], 'good')).toMatchObject({ state: 'passed', detail: 'good; warning: no tools' });
  expect(outcomeOf([ours], 'good').state).toBe('unknown');
  expect(outcomeOf([ours, theirs], 'good')).toMatchObject({ state: 'failed', detail: 'broken (and 1 more)' });
});

test.each([
  ['listen EADDRINUSE: address already in use 127.0.0.1:3000', 'port taken'],
  ['SQLITE_ERROR: no such table: orders', 'migration not run'],
  ['relation "orders" does not exist', 'migration not run'],
  ['KeyError: missing environment variable', 'missing variable'],
  ['DATABASE_URL is not set', 'missing variable'],
  ['you must set API_KEY', 'missing variable'],
  ['something else went wrong', undefined],
])('%j looks like %s', (detail, clue) => {
  if (clue === undefined) expect(clueIn('stdio_exited', detail)).toBeNull();
  else expect(clueIn('stdio_exited', detail)).toContain(clue);
});

// A pattern that backtracks would take longer than any test may.
test.each(['A_'.repeat(300), 'missing '.repeat(75), 'relation '.repeat(66), 'A_B '.repeat(150)])('long words are no riddle: %#', (text) => {
  expect(clueIn('stdio_exited', text)).toBeNull();
});

describe('words of a hostile server', () => {
  const evil = 'x::error title=a,b::owned\n::set-output name=t::1 ##[group] 100% | <b>\u001b[2J';
  const report = judgeSmoke(measured(step('calls', failed('canary_tool_error', evil))));

  test('are no workflow command in any output, and end no line', () => {
    const { before, rows, after } = smokeLines(report, PLAIN);
    const console = [...before, ...rows.flat(), after].join('\n');
    for (const text of [console, renderSmokeAnnotations(report), renderSmokeMarkdown(report), renderSmokeJunit(report)]) {
      expect(text).not.toMatch(/(?:^|\s)::(?!error title=Smoke)/m);
      expect(text).not.toContain('##[');
      expect(text).not.toContain('\u001b');
    }
    expect(renderSmokeAnnotations(report).trimEnd().split('\n')).toHaveLength(1);
    expect(renderSmokeAnnotations(report)).toContain('100%25');
  });

  test('whatever they are, an annotation is one command on one line', () => {
    const letters = fc.string({ unit: fc.constantFrom(':', ',', '%', '\r', '\n', '#', '[', 'e', 'error', ' ', '\u2028', '\u0000', '::') });
    fc.assert(
      fc.property(letters, letters, (target, detail) => {
        const given = judgeSmoke({ ...measured(step('hello', failed('stdio_exited', detail))), target });
        expect(renderSmokeAnnotations(given)).toMatch(/^::error title=Smoke%3A [^:,\r\n]*%3A hello failed::[^\r\n]*\n$/);
        for (const line of renderSmokeMarkdown(given).split('\n')) expect(line).not.toMatch(/^\s*::[a-z]|##\[/i);
      }),
    );
  });

  test('end no property: colons and commas of a title are encoded', () => {
    const named = { ...report, target: 'a,b:c%' };
    expect(renderSmokeAnnotations(named)).toMatch(/^::error title=Smoke%3A a%2Cb%3Ac%25%3A calls failed::/);
  });
});

test('JUnit holds a case per step, and what could not be judged is no success', () => {
  const text = renderSmokeJunit(
    judgeSmoke(measured(step('dial', passed('fine')), step('calls', failed('probe_config_error', 'may write')))),
  );
  expect(text).toContain('tests="5" failures="1" errors="0" skipped="3"');
});

test('a notice says that all passed, and how long the server was waited for', () => {
  const waited = { attempts: 3, waitedMs: 512, maxMs: 15_000, failure: 'connection_refused at tcp' };
  const report = judgeSmoke({ ...measured(step('dial', passed('fine'))), ready: waited });
  expect(renderSmokeAnnotations(report)).toBe(
    '::notice title=Smoke%3A shop::shop passed in 1.2 s. waited 512 ms of at most 15.0 s for the server to be ready, 3 attempts, last: connection_refused at tcp\n',
  );
});
