/** The shipped experiments against real servers, well-behaved and not: held where it must, and what is wrong is found and named. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SPEED, type Changes } from './adapt.js';
import { openLab, type Lab, type Outcome, type Subject, type Wanted } from './lab.js';

/** Calls that hold a connection for a while: what a service looks like that waits for its database. Cuts are percentages. */
const POOLED = { replicas: 3, settings: { DEMO_POOL: '40', DEMO_WARM: '12', DEMO_WORK_MS: '400', DEMO_CONNECT_MS: '800' } };
const SMALL_POOL = { DEMO_POOL: '4', DEMO_WARM: '4', DEMO_WORK_MS: '150' };

const SERVERS: Readonly<Record<string, Wanted>> = {
  'kill-good': {},
  'slow-good': { canaryMs: 5000, settings: { DEMO_QUERY_MS: '6000', DEMO_HEALTH_MS: '4000', DEMO_POOL: '20', DEMO_WARM: '16' } },
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
vi.setConfig({ testTimeout: SPEED === 1 ? 7_200_000 : 180_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await openLab(SERVERS);
}, 90_000);
afterAll(() => lab?.close(), 30_000);

const PM2 = ({ name }: Subject): Changes => ({ 'manager.pm2': name });
const RELAY = ({ relay }: Subject): Changes => ({ 'actions[0].params.port': relay.port, 'actions[0].params.admin': relay.adminUrl });
/** As many calls as pools of 40 connections, and one core, have room for. */
const POOLS = ({ adminUrls }: Subject, perSecond = 45): Changes => ({
  'actions[0].params.adminUrls': adminUrls,
  'load.perSecond': perSecond,
});

/** Fails with everything that the run said. */
function expectRun(outcome: Outcome, wanted: { code: number; verdict: string; findings?: readonly string[] }): void {
  const { code, verdict, findings, printed, entries } = outcome;
  const told = entries.filter(({ kind }) => kind !== 'sample' && kind !== 'steady').map((entry) => JSON.stringify(entry));
  const seen = { code, verdict: verdict?.verdict, ...(wanted.findings === undefined ? {} : { findings }) };
  const expected =
    wanted.findings === undefined ? wanted : { ...wanted, findings: expect.arrayContaining([...wanted.findings]) as unknown };
  expect(seen, `${printed.slice(-3000)}\n${told.join('\n')}`).toEqual(expected);
}

/** Nobody was alarmed before anything was broken. */
function expectQuiet({ entries, alerts }: Outcome): void {
  const faultMs = entries.find((entry) => entry.kind === 'action')?.atMs ?? 0;
  expect(alerts.filter((alert) => alert.atMs < faultMs)).toEqual([]);
}

describe.concurrent('on a server that behaves well', () => {
  test('block-dependency: it says so, and is well again by itself; people are told, and told again', async () => {
    const subject = lab.subject('block-good');
    const outcome = await lab.run('block-dependency', subject, { ...PM2(subject), ...RELAY(subject) });
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expect(outcome.findings).toEqual([]);
    expect(outcome.alerts.map(({ state, reason }) => `${state} ${reason}`)).toEqual([
      'firing health_check_failed',
      'resolved health_check_failed',
    ]);
    expectQuiet(outcome);
  });

  test('slow-dependency: the latency alert comes, and nothing else breaks', async () => {
    const subject = lab.subject('slow-good');
    const outcome = await lab.run('slow-dependency', subject, RELAY(subject));
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expectQuiet(outcome);
  });

  test('exhaust-pool: calls wait, and none is answered with nothing', async () => {
    const subject = lab.subject('exhaust-good');
    const outcome = await lab.run('exhaust-pool', subject, {}, QUIET_HOST);
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
  });

  test('kill-process: within two probes people know why, and PM2 brings it back', async () => {
    const subject = lab.subject('kill-good');
    // An hour, in the time of the test.
    const { href } = new URL('/ready', subject.url);
    await vi.waitFor(
      async () => expect(((await (await fetch(href)).json()) as { uptimeSeconds: number }).uptimeSeconds).toBeGreaterThan(3600 / SPEED + 1),
      { timeout: 5_000_000 / SPEED + 20_000, interval: 200 },
    );
    const outcome = await lab.run('kill-process', subject, PM2(subject));
    expectRun(outcome, { code: 0, verdict: 'held', findings: [] });
    expect(outcome.alerts.map(({ state, reason }) => `${state} ${reason}`)).toEqual([
      'firing connection_refused',
      'resolved connection_refused',
    ]);
    expectQuiet(outcome);
    // Two cycles, and what a probe and a delivery take on a busy machine.
    expect(outcome.verdict!.mttdMs).toBeLessThan((2 * 60_000) / SPEED + 1000);
    expect(outcome.verdict!.mttrMs).toBeLessThan(Math.max(10_000, 600_000 / SPEED));
  });
});

/** The tests of others run on this host, too: its load is no sign of ours. */
const QUIET_HOST: Changes = { 'rollback_on[0].above': 0.99, 'rollback_on[1].above': 1 };

describe.concurrent('on a server that behaves badly, what is wrong is named', () => {
  test.each(['crash-loop', 'hang', 'silent-empty', 'health-lies', 'manual-restart'])('block-dependency: %s', async (fault) => {
    const subject = lab.subject(`block-${fault}`);
    const outcome = await lab.run('block-dependency', subject, { ...PM2(subject), ...RELAY(subject) });
    expect(['violated', 'aborted']).toContain(outcome.verdict?.verdict);
    expectRun(outcome, { code: 1, verdict: outcome.verdict!.verdict, findings: [fault] });
    // The other four are not to be found in it.
    const others = ['crash-loop', 'hang', 'silent-empty', 'health-lies', 'manual-restart'].filter((one) => one !== fault);
    expect(outcome.findings.filter((one) => others.includes(one))).toEqual([]);
  });

  test('exhaust-pool: silent-empty', async () => {
    const subject = lab.subject('exhaust-silent-empty');
    const outcome = await lab.run('exhaust-pool', subject, {}, QUIET_HOST);
    expectRun(outcome, { code: 1, verdict: 'violated', findings: ['silent-empty'] });
  });
});

describe('pools', () => {
  test.each(['pool-cut-30', 'pool-cut-50', 'pool-cut-70'])('%s is green', async (name) => {
    const subject = lab.subject('pooled');
    expectRun(await lab.run(name, subject, POOLS(subject)), { code: 0, verdict: 'held' });
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
    expectRun(await lab.run('pool-cut-90-fixed', subject, POOLS(subject, 18)), { code: 0, verdict: 'held' });
  });
});
