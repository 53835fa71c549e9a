/** What people live through with `toolquake run`: the ladder, consent, Ctrl-C, stops, and every exit code, by the built command line. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import type { RunEntry } from '../../packages/toolquake/src/core/run-entry.js';
import { readStat } from '../../packages/toolquake/src/undo/process-identity.js';
import { binPath, createDesk, type Run } from '../cli/harness.js';
import { onTerminal } from '../cli/terminal.js';

const SERVER = fileURLToPath(new URL('../servers/flag-desk.mjs', import.meta.url));

type Server = { readonly child: ChildProcess; readonly url: string; readonly pid: number };

async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, [SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, ...(JSON.parse(line) as { url: string; pid: number }) };
}

let shared: Server;
beforeAll(async () => {
  shared = await startServer();
});
afterAll(() => shared.child.kill('SIGKILL'));

/** A quarter of a minute of somebody's day, with a rule that slows calls of echo. */
const slowAnswers = (url: string, change: object = {}): object => ({
  version: 1,
  id: 'slow-answers',
  question: 'Slow answers are answers.',
  target: { name: 'desk', url },
  environment: 'test',
  monitor: { every: '300ms' },
  load: { tool: 'echo', arguments: { text: 'hi' }, clients: 4, perSecond: 40, timeout: '5s' },
  front: {},
  // Long windows: a busy machine may stand still for a second.
  steady: [{ signal: 'call_success', atLeast: 0.5, window: '3s', minSamples: 5 }],
  actions: [
    {
      action: 'plan',
      params: { plan: { rules: [{ id: 'slow', fault: 'latency', params: { addedMs: 5 }, when: { tool: 'echo' } }] } },
      for: '1s',
    },
  ],
  dose: { ladder: [50, 100], minFaulted: 5 },
  rollback_on: [{ signal: 'call_success', below: 0.1, window: '3s', minSamples: 5 }],
  times: { before: '500ms', after: '500ms', tick: '100ms' },
  expect: { recoverWithin: '10s' },
  ...change,
});

const freeze = (server: Server, change: object = {}): object => ({
  version: 1,
  id: 'freeze',
  question: 'A server that hangs is noticed, and goes on when it may.',
  target: { name: 'desk', url: server.url, budgets: { total: '1s' } },
  environment: 'test',
  manager: { pid: server.pid },
  monitor: { every: '200ms' },
  steady: [{ signal: 'probe_success', atLeast: 0.5, window: '1s', minSamples: 1, in: ['before', 'after'] }],
  actions: [{ action: 'freeze-process', for: '60s' }],
  rollback_on: [{ signal: 'outage_seconds', above: 300 }],
  times: { before: '500ms', after: '500ms', tick: '100ms' },
  expect: { recoverWithin: '20s' },
  ...change,
});

/** A project with one experiment, and a state folder of its own, as if it were alone on the host. */
function project(experiment: object, env: NodeJS.ProcessEnv = {}) {
  const desk = createDesk({ 'e.yaml': JSON.stringify(experiment) });
  mkdirSync(join(desk.folder, 'state'), { mode: 0o700 });
  const surroundings: NodeJS.ProcessEnv = { TOOLQUAKE_STATE_DIR: join(desk.folder, 'state'), NODE_ENV: 'test', NO_COLOR: '1', ...env };
  const runs = join(desk.folder, '.toolquake', 'runs');
  return {
    folder: desk.folder,
    env: surroundings,
    toolquake: (...argv: readonly string[]): Promise<Run> => desk.run(argv, surroundings),
    rewrite: (other: object) => writeFileSync(join(desk.folder, 'e.yaml'), JSON.stringify(other)),
    /** The journal of the newest run. */
    journal: (): readonly RunEntry[] =>
      readFileSync(join(runs, readdirSync(runs).toSorted().at(-1)!, 'journal.jsonl'), 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RunEntry])),
    /** Starts it, and resolves when these words were said. */
    async start(
      words: string,
      onTestFinished: TestContext['onTestFinished'],
    ): Promise<{ child: ChildProcess; said: () => string; ended: Promise<number | null> }> {
      const child = spawn(process.execPath, [binPath, 'run', 'e.yaml', '--yes'], {
        cwd: desk.folder,
        env: { ...process.env, ...surroundings },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      await new Promise<void>((resolve, reject) => {
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            said += text;
            if (said.includes(words)) resolve();
          });
        void ended.then((code) => reject(new Error(`It ended with ${code} before it said "${words}":\n${said}`)));
      });
      return { child, said: () => said, ended };
    },
  };
}

const verdictOf = (entries: readonly RunEntry[]) => entries.find((entry) => entry.kind === 'verdict');
const isFrozen = ({ pid }: Server): boolean => readStat(pid)?.state === 'T';

describe.concurrent('the ladder', () => {
  test('stage 1 with --yes, stage 2 with an approval of a person, which is good for one run', async () => {
    const at = project(slowAnswers(shared.url));
    const first = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect([first.code, first.stdout], first.stderr).toEqual([0, expect.stringContaining('HELD')]);

    const refused = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect(refused.code).toBe(2);
    const [, digest = ''] = /toolquake approve ([0-9a-f]+)/.exec(refused.stderr) ?? [];
    expect(digest, refused.stderr).not.toBe('');
    const consent = await onTerminal(['approve', digest], { ...at, cwd: at.folder, answer: agree });
    expect(consent, consent.shown).toMatchObject({ code: 0 });

    const second = await at.toolquake('run', 'e.yaml', '--quiet');
    expect([second.code, second.stdout], second.stderr).toEqual([0, expect.stringContaining('HELD')]);
    expect(at.journal()[0]).toMatchObject({ kind: 'experiment', stage: 2, dose: 100 });
    const again = await at.toolquake('run', 'e.yaml', '--stage', '2', '--quiet');
    expect(again).toMatchObject({ code: 2 });
  });

  test('an approval is for the plan that was shown, and for no other', async () => {
    const at = project(slowAnswers(shared.url, { approval: { fromStage: 1 } }));
    const { planDigest } = JSON.parse((await at.toolquake('experiment', 'preview', 'e.yaml', '--json')).stdout) as { planDigest: string };
    await onTerminal(['approve', planDigest], { ...at, cwd: at.folder, answer: agree });
    at.rewrite(slowAnswers(shared.url, { approval: { fromStage: 1 }, limits: { maxFaultedCalls: 100_000 } }));
    expect(await at.toolquake('run', 'e.yaml', '--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('approve') as string });
  });
});

const agree = (shown: string): string | undefined => (shown.includes('Type "approve"') ? 'approve' : undefined);

describe.concurrent('whoever ends a run', () => {
  test('by Ctrl-C sees it undone first, and 130', async ({ onTestFinished }) => {
    const server = await startServer();
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const at = project(freeze(server));
    const run = await at.start('in effect', onTestFinished);
    expect(isFrozen(server)).toBe(true);
    run.child.kill('SIGINT');
    expect(await run.ended, run.said()).toBe(130);
    expect(isFrozen(server)).toBe(false);
    expect(verdictOf(at.journal())).toMatchObject({ verdict: 'aborted', isStopped: true });
    expect(await at.toolquake('leftovers')).toMatchObject({ code: 0 });
  });

  test('by "toolquake stop" from elsewhere sees it undone, too', async ({ onTestFinished }) => {
    const server = await startServer();
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const at = project(freeze(server));
    const run = await at.start('in effect', onTestFinished);
    expect(await at.toolquake('stop')).toMatchObject({ code: 0 });
    expect(isFrozen(server)).toBe(false);
    expect([await run.ended, verdictOf(at.journal())?.verdict], run.said()).toEqual([1, 'aborted']);
  });

  test('keeps nobody else from the server afterwards; before, a second run on it is refused and says whose it is', async ({
    onTestFinished,
  }) => {
    const server = await startServer();
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const at = project(freeze(server));
    const run = await at.start('in effect', onTestFinished);
    expect((await at.toolquake('runs')).stdout).toMatch(/freeze +desk .* running /);
    const second = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect([second.code, second.stderr]).toEqual([expect.toBeOneOf([2, 3]), expect.stringMatching(/[Aa]nother experiment|run \d{8}-/)]);
    expect(isFrozen(server)).toBe(true);
    run.child.kill('SIGTERM');
    await run.ended;
    expect((await at.toolquake('runs')).stdout).toMatch(/freeze +desk .* aborted /);
    const short = { actions: [{ action: 'freeze-process', for: '1s' }] };
    at.rewrite(freeze(server, short));
    expect((await at.toolquake('run', 'e.yaml', '--yes', '--quiet')).code).toBe(0);
  });
});

describe.concurrent('what a run says when it ends', () => {
  test('aborted (1) when a tripwire trips, and by which one', async () => {
    const rollback = [{ signal: 'call_p95_ms', lane: 'faulted', above: 1, window: '1s', minSamples: 5 }];
    const at = project(slowAnswers(shared.url, { rollback_on: rollback }));
    const { code, stdout } = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/ABORTED[^]*call_p95_ms/)]);
    expect(at.journal().filter((entry) => entry.kind === 'undo')).toMatchObject([{ state: 'undone' }]);
  });

  test('not-injected (4) when not one call was hit', async () => {
    const actions = [
      { action: 'plan', params: { plan: { rules: [{ id: 'slow', fault: 'latency', when: { tool: 'nobody_calls_this' } }] } }, for: '1s' },
    ];
    const at = project(slowAnswers(shared.url, { actions }));
    const { code, stdout } = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect([code, stdout]).toEqual([4, expect.stringContaining('NOT INJECTED')]);
  });

  test('inconclusive (5) when somebody ended the fault before its time was over', async ({ onTestFinished }) => {
    const server = await startServer();
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const at = project(freeze(server, { actions: [{ action: 'freeze-process', for: '1s' }] }));
    const run = await at.start('in effect', onTestFinished);
    process.kill(server.pid, 'SIGCONT');
    expect([await run.ended, run.said()]).toEqual([5, expect.stringMatching(/GONE EARLY[^]*INCONCLUSIVE[^]*did not last/)]);
  });

  test('inconclusive (5) when it was not steady before; nothing was injected', async () => {
    const at = project(slowAnswers(shared.url, { steady: [{ signal: 'call_p95_ms', atMost: 0.001, window: '1s', minSamples: 5 }] }));
    const { code, stdout } = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect([code, stdout]).toEqual([5, expect.stringContaining('The baseline is invalid')]);
    expect(at.journal().filter((entry) => entry.kind === 'action')).toEqual([]);
  });

  test('a dry run looks at everything and touches nothing', async ({ onTestFinished }) => {
    const server = await startServer();
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const at = project(freeze(server));
    const { code, stdout, stderr } = await at.toolquake('run', 'e.yaml', '--dry-run');
    expect([code, `${stdout}${stderr}`]).toEqual([5, expect.stringContaining('freeze-process')]);
    const kinds = new Set(at.journal().map(({ kind }) => kind));
    expect([kinds.has('precondition'), kinds.has('steady'), kinds.has('action')]).toEqual([true, true, false]);
  });

  test('undo-failed (6) when the undo lies; nothing new starts, and it says what is left', async ({ onTestFinished }) => {
    const server = await startServer();
    onTestFinished(() => void server.child.kill('SIGKILL'));
    const actions = [
      {
        action: 'call-tool',
        params: { tool: 'press', undo: { tool: 'release' }, check: { tool: 'look', path: 'isPressed' } },
        for: '500ms',
      },
    ];
    const { load: _, front: __, dose: ___, ...rest } = slowAnswers(server.url) as Record<string, unknown>;
    const steady = [{ signal: 'probe_success', atLeast: 0.5, window: '3s', minSamples: 1 }];
    const at = project({ ...rest, actions, steady, rollback_on: [{ signal: 'outage_seconds', above: 300 }] });
    const { code, stdout, stderr } = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect([code, stdout], stderr).toEqual([6, expect.stringContaining('UNDO FAILED')]);
    expect(await at.toolquake('leftovers')).toMatchObject({ code: 6, stdout: expect.stringContaining('press') as string });
    const next = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
    expect([next.code, next.stderr]).toEqual([expect.toBeOneOf([2, 3, 6]), expect.stringContaining('left something behind')]);
  });

  test('refused (2) in production, in any spelling, before anything is touched', async () => {
    const at = project(slowAnswers(shared.url), { NODE_ENV: 'Production' });
    expect(await at.toolquake('run', 'e.yaml', '--yes')).toMatchObject({ code: 2 });
    expect(readdirSync(at.folder).toSorted()).toEqual(['e.yaml', 'state']);
    expect(readdirSync(join(at.folder, 'state'))).toEqual([]);
  });
});

test('an alert that never came is a finding that keeps everything from that server until a person has read it', async ({
  onTestFinished,
}) => {
  const server = await startServer();
  onTestFinished(() => void server.child.kill('SIGKILL'));
  // A monitor that proves its channel once, and then sleeps.
  const external = { port: 0, token: '${MONITOR_TOKEN}' };
  const change = { monitor: { every: '200ms', external }, actions: [{ action: 'freeze-process', for: '4s' }] };
  const at = project(freeze(server, { ...change, expect: { alert: {}, recoverWithin: '20s' } }), { MONITOR_TOKEN: 'of-this-test' });
  const run = await at.start('/alerts/', onTestFinished);
  const [address] = /http:\/\/127\.0\.0\.1:\d+\/alerts\//.exec(run.said()) ?? [];
  const alert = {
    version: 1,
    id: 'x',
    state: 'test',
    reason: 'test',
    rule: 'x',
    target: 'desk',
    sentAt: new Date().toISOString(),
    text: 'x',
  };
  expect((await fetch(`${address}of-this-test`, { method: 'POST', body: JSON.stringify(alert) })).ok).toBe(true);
  expect(await run.ended, run.said()).toBe(1);
  expect(run.said()).toContain('missed-alert');

  at.rewrite(freeze(server, { actions: [{ action: 'freeze-process', for: '1s' }] }));
  const blocked = await at.toolquake('run', 'e.yaml', '--yes', '--quiet');
  expect([blocked.code, blocked.stderr]).toEqual([2, expect.stringContaining('runs acknowledge')]);
  expect(await at.toolquake('runs', 'acknowledge', 'last', '--why', 'The alert rule was asleep.')).toMatchObject({ code: 0 });
  expect((await at.toolquake('run', 'e.yaml', '--yes', '--quiet')).code).toBe(0);
});
