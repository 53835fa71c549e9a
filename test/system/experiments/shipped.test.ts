/** The shipped experiments against real servers, well-behaved and not: held where it must, and what is wrong is found and named. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Sample } from '../../../packages/toolquake/src/core/sample.js';
import { quantileOf, sorted } from '../../../packages/toolquake/src/gates/latency/order-statistics.js';
import { SPEED, type Changes } from './adapt.js';
import { openLab, type Lab, type Outcome, type Subject, type Wanted } from './lab.js';

/** Calls that hold a connection for a while: what a service looks like that waits for its database. Cuts are percentages. */
const POOLED = { replicas: 3, settings: { DEMO_POOL: '20', DEMO_WARM: '6', DEMO_WORK_MS: '200', DEMO_CONNECT_MS: '500' } };
const SMALL_POOL = { DEMO_POOL: '4', DEMO_WARM: '4' };

const SERVERS: Readonly<Record<string, Wanted>> = {
  'kill-good': {},
  'kill-three': { replicas: 3 },
  // PM2 would start it again, some day.
  'kill-late': { restartDelayMs: 3_600_000 },
  'slow-good': { canaryMs: 5000, settings: { DEMO_QUERY_MS: '6000', DEMO_CONNECT_MS: '6000', DEMO_POOL: '20', DEMO_WARM: '20' } },
  'block-good': {},
  'block-crash-loop': { variant: 'crash-loop' },
  'block-hang': { variant: 'hang' },
  'block-silent-empty': { variant: 'silent-empty' },
  'block-health-lies': { variant: 'health-lies' },
  'block-manual-restart': { variant: 'manual-restart' },
  'exhaust-good': { canaryMs: 4000, settings: { ...SMALL_POOL, DEMO_CONNECT_MS: '4000' } },
  'exhaust-silent-empty': { variant: 'silent-empty', settings: { ...SMALL_POOL, DEMO_CONNECT_MS: '100' } },
  pooled: POOLED,
};

// Several wait for others to end; a full-length run takes as long as it takes.
vi.setConfig({ testTimeout: SPEED === 1 ? 7_200_000 : 300_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await openLab(SERVERS);
}, 90_000);
afterAll(() => lab?.close(), 30_000);

const PM2 = ({ name }: Subject): Changes => ({ 'manager.pm2': name });
const RELAY = ({ relay }: Subject): Changes => ({ 'actions[0].params.port': relay.port, 'actions[0].params.admin': relay.adminUrl });
/** As many calls as pools of 20 connections, and one core, have room for. */
const POOLS = ({ adminUrls }: Subject, perSecond = 45): Changes => ({
  'actions[0].params.adminUrls': adminUrls,
  'load.perSecond': perSecond,
});

/** Fails with everything that the run said. */
function expectRun(outcome: Outcome, wanted: { code: number; verdict: string; findings?: readonly string[] }): void {
  const { code, verdict, findings, printed, entries } = outcome;
  const told = entries.filter(({ kind }) => kind !== 'sample' && kind !== 'steady').map((entry) => JSON.stringify(entry));
  const seen = { code, verdict: verdict?.verdict, ...(wanted.findings === undefined ? {} : { findings }) };
  // Of a server that behaves well nothing is to be found; of another one, at least what is wrong with it.
  const expected =
    wanted.findings === undefined || wanted.findings.length === 0
      ? wanted
      : { ...wanted, findings: expect.arrayContaining([...wanted.findings]) as unknown };
  expect(seen, `${printed.slice(-3000)}\n${told.join('\n')}`).toEqual(expected);
}

const faultMsOf = ({ entries }: Outcome): number => entries.find((entry) => entry.kind === 'action')?.atMs ?? 0;

const probesOf = ({ entries }: Outcome): readonly Extract<Sample, { source: 'probe' }>[] =>
  entries.flatMap((entry) => (entry.kind === 'sample' && entry.sample.source === 'probe' ? [entry.sample] : []));

/** Nobody was alarmed before anything was broken. */
function expectQuiet(outcome: Outcome): void {
  expect(faultMsOf(outcome)).toBeGreaterThan(0);
  expect(outcome.alerts.filter((alert) => alert.atMs < faultMsOf(outcome))).toEqual([]);
}

/** People were told why, once, and when it was over. That it was in time is what the run judges itself: else there is a finding. */
function expectTold(outcome: Outcome, rule: string, reason: string): void {
  expectQuiet(outcome);
  // Whether a server that has just started is slow, too, depends on how busy this host is.
  const alerts = outcome.alerts.filter((alert) => alert.rule === rule);
  expect(alerts.map((alert) => `${alert.state} ${alert.reason}`)).toEqual([`firing ${reason}`, `resolved ${reason}`]);
  const [{ atMs, sentAtMs }] = alerts as unknown as [{ atMs: number; sentAtMs: number }];
  // By the clock of the monitor, which is a process of its own: after the fault, and before anybody heard of it.
  expect(sentAtMs).toBeGreaterThan(faultMsOf(outcome));
  expect(sentAtMs).toBeLessThanOrEqual(atMs + 1);
  expect(outcome.verdict!.mttdMs).toBeCloseTo(atMs - faultMsOf(outcome), 6);
}

/** It has been up for an hour, in the time of the test. */
const isOldEnough =
  ({ url }: Subject) =>
  (): Promise<void> =>
    vi.waitFor(
      async () => {
        const { uptimeSeconds } = (await (await fetch(new URL('/ready', url))).json()) as { uptimeSeconds: number };
        expect(uptimeSeconds).toBeGreaterThan(3600 / SPEED + 1);
      },
      { timeout: 5_000_000 / SPEED + 20_000, interval: 200 },
    );

describe.concurrent('on a server that behaves well', () => {
  test('block-dependency: it says so, and is well again by itself; people are told, and told again', async () => {
    const subject = lab.subject('block-good');
    const outcome = await lab.run('block-dependency', subject, { ...PM2(subject), ...RELAY(subject) });
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expectTold(outcome, 'consecutive_failures', 'health_check_failed');
    const reasons = probesOf(outcome).flatMap(({ healthReason }) => healthReason ?? []);
    expect(new Set(reasons)).toEqual(new Set(['database_unreachable']));
  });

  test('slow-dependency: the latency alert comes, and nothing else breaks', async () => {
    const subject = lab.subject('slow-good');
    const outcome = await lab.run('slow-dependency', subject, RELAY(subject));
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expectTold(outcome, 'latency', 'latency_anomaly');
    const alertMs = outcome.alerts.find(({ rule }) => rule === 'latency')!.sentAtMs!;
    const quiet = probesOf(outcome).filter(({ atMs }) => atMs < faultMsOf(outcome));
    const before = quantileOf(sorted(quiet.map(({ totalMs }) => totalMs)), 0.95);
    const [seen] = probesOf(outcome)
      .filter(({ atMs }) => atMs <= alertMs + 1)
      .slice(-1);
    expect(seen!.totalMs).toBeGreaterThan(2 * before);
  });

  test('exhaust-pool: calls wait, and none is answered with nothing', async () => {
    const subject = lab.subject('exhaust-good');
    const outcome = await lab.run('exhaust-pool', subject, {}, { besides: QUIET_HOST });
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expectQuiet(outcome);
  });

  test('kill-process: within two probes people know why, and PM2 brings it back', async () => {
    const subject = lab.subject('kill-good');
    const outcome = await lab.run('kill-process', subject, PM2(subject), { ready: isOldEnough(subject) });
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expectTold(outcome, 'consecutive_failures', 'connection_refused');
    expect(outcome.verdict!.mttrMs).toBeGreaterThan(outcome.verdict!.mttdMs!);
  });

  test('kill-process: of three replicas all are missed, and of one nobody hears', async () => {
    const subject = lab.subject('kill-three');
    const all = await lab.run('kill-process', subject, PM2(subject), { ready: isOldEnough(subject) });
    expectRun(all, { code: 0, verdict: 'held', findings: [] });
    expectTold(all, 'consecutive_failures', 'connection_refused');
    expect(all.entries.filter((entry) => entry.kind === 'undo')).toMatchObject([{ state: 'undone' }]);

    // Started again a moment ago.
    const besides = { 'actions[0].params.replicas': 1, 'expect.alert': undefined, 'steady[0].atLeast': 120 };
    const one = await lab.run('kill-process', subject, PM2(subject), { besides });
    expectRun(one, { code: 0, verdict: 'held', findings: [] });
    // Whether the others are slower while the third one starts depends on how busy this host is.
    expect(one.alerts.filter(({ rule }) => rule === 'consecutive_failures')).toEqual([]);
    expect(processesOf(one)).toEqual(new Set([2, 3]));
  });
});

/** How many replicas there were in the course of a run. */
const processesOf = ({ entries }: Outcome): ReadonlySet<number | undefined> =>
  new Set(entries.flatMap((entry) => (entry.kind === 'sample' && entry.sample.source === 'process' ? [entry.sample.processes] : [])));

/** The tests of others run on this host, too: its load is no sign of ours. */
const QUIET_HOST: Changes = { 'rollback_on[0].above': 0.99, 'rollback_on[1].above': 1 };

describe.concurrent('on a server that behaves badly, what is wrong is named', () => {
  test.each(['manual-restart', 'crash-loop', 'hang', 'silent-empty', 'health-lies'])('block-dependency: %s', async (fault) => {
    const subject = lab.subject(`block-${fault}`);
    const outcome = await lab.run('block-dependency', subject, { ...PM2(subject), ...RELAY(subject) });
    expect(['violated', 'aborted']).toContain(outcome.verdict?.verdict);
    expectRun(outcome, { code: 1, verdict: outcome.verdict!.verdict, findings: [fault] });
    // The other four are not to be found in it.
    const others = ['crash-loop', 'hang', 'silent-empty', 'health-lies', 'manual-restart'].filter((one) => one !== fault);
    expect(outcome.findings.filter((one) => others.includes(one))).toEqual([]);
  });

  test('kill-process: one that is not back in time is found, and brought back', async () => {
    const subject = lab.subject('kill-late');
    // PM2 is asked by a program of its own each time, which takes a while on a busy host.
    const besides = { 'undo.deadline': '20s' };
    const outcome = await lab.run('kill-process', subject, PM2(subject), { besides, ready: isOldEnough(subject) });
    expectRun(outcome, { code: 1, verdict: 'aborted', findings: ['not-restarted'] });
    expect(outcome.entries.filter((entry) => entry.kind === 'undo')).toMatchObject([{ state: 'undone' }]);
    expectTold(outcome, 'consecutive_failures', 'connection_refused');
  });

  test('exhaust-pool: silent-empty', async () => {
    const subject = lab.subject('exhaust-silent-empty');
    const outcome = await lab.run('exhaust-pool', subject, {}, { besides: QUIET_HOST });
    expectRun(outcome, { code: 1, verdict: 'violated', findings: ['silent-empty'] });
  });
});

describe('pools', () => {
  test.each(['pool-cut-30', 'pool-cut-50', 'pool-cut-70'])('%s is green', async (name) => {
    const subject = lab.subject('pooled');
    const outcome = await lab.run(name, subject, POOLS(subject));
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expectQuiet(outcome);
  });

  test('pool-cut-90 is stopped by its tripwire, and every pool is whole again', async () => {
    const subject = lab.subject('pooled');
    const outcome = await lab.run('pool-cut-90', subject, POOLS(subject));
    expectRun(outcome, { code: 1, verdict: 'aborted' });
    expect(outcome.entries.find((entry) => entry.kind === 'trip')).toMatchObject({ rule: { signal: 'error_rate' } });
    expect(outcome.entries.filter((entry) => entry.kind === 'undo')).toMatchObject([
      { state: 'undone' },
      { state: 'undone' },
      { state: 'undone' },
    ]);
  });

  test('with the fixes it is green', async () => {
    const subject = lab.subject('pooled');
    await vi.waitFor(async () => expect((await fetch(`${subject.url.replace('/mcp', '/ready')}`)).status).toBe(200));
    const outcome = await lab.run('pool-cut-90-fixed', subject, POOLS(subject, 18));
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expectQuiet(outcome);
  });
});
