/** `experiment check`, `explain`, `preview` and `approve`, as a user meets them. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { targetDigestOf } from '../../packages/toolquake/src/experiments/digests.js';
import { approve, findApproval } from '../../packages/toolquake/src/operations/approvals.js';
import { noteMissedAlert } from '../../packages/toolquake/src/operations/missed-alerts.js';
import { takeServerLock } from '../../packages/toolquake/src/undo/server-lock.js';
import { stateDirectory } from '../../packages/toolquake/src/undo/state-directory.js';
import { binPath, createDesk, type Desk } from '../cli/harness.js';

const WAIT = `version: 1
id: quiet
owner: team-shop
question: Nothing happens when nothing is done.
environment: staging
target: { url: "http://127.0.0.1:9/mcp" }
actions: [{ action: wait, for: 30s }]
dose: { ladder: [10, 50] }
rollback_on: [{ signal: outage_seconds, above: 300 }]
expect: { alert: {} }
`;
const desk = (files: Record<string, string> = {}): Desk => createDesk({ 'e.yaml': WAIT, ...files });
const preview = async (at: Desk, ...more: string[]) => {
  const run = await at.run(['experiment', 'preview', 'e.yaml', '--json', ...more], { NODE_ENV: '' });
  return {
    code: run.code,
    ...(JSON.parse(run.stdout) as {
      stage: number;
      planDigest: string;
      faultDigest: string;
      consent: string;
      ladder: { isAllowed: boolean; why?: string; counts?: boolean; widen?: string[] };
    }),
  };
};

describe('experiment check', () => {
  test('says in one line that a file is good, and what it cannot see', async () => {
    expect(await desk().run(['experiment', 'check', 'e.yaml'])).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(
        /^ok e\.yaml: quiet on quiet: wait; 10, 50 %\nmissing health of the target: [^]*missing manager: [^]*missing load: /,
      ),
      stderr: '',
    });
  });

  test('lists every problem with its place, and starts nothing', async () => {
    const at = desk({ 'e.yaml': WAIT.replace('owner', 'ownr').replace('wait', 'wiat') });
    const { code, stderr } = await at.run(['experiment', 'check', 'e.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('e.yaml:3:1: The file has the unknown key "ownr". Did you mean "owner"?');
    expect(stderr).toContain('e.yaml:7:21: actions[0] has the unknown action "wiat". Did you mean "wait"?');
    expect(at.files()).toEqual(['e.yaml']);
    const json = await at.run(['experiment', 'check', 'e.yaml', '--json']);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([2, { isGood: false, problems: [{ line: 3 }, { line: 7 }] }]);
  });

  test.each([
    ['environment', { 'e.yaml': WAIT.replace('staging', 'Production') }, {}],
    ['NODE_ENV', {}, { NODE_ENV: 'production' }],
    ['is at', { 'e.yaml': WAIT.replace('127.0.0.1:9', 'shop.pr%6fd.example') }, {}],
  ])('refuses production: %s', async (word, files, env) => {
    const { code, stderr } = await desk(files).run(['experiment', 'check', 'e.yaml'], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Experiments never run in production')]);
    expect(stderr).toContain(word);
  });

  test('finds its target in toolquake.yaml beside the file, also from elsewhere', async () => {
    const at = desk();
    mkdirSync(join(at.folder, 'deep'));
    writeFileSync(join(at.folder, 'deep', 'toolquake.yaml'), 'targets: [{ name: shop, url: "http://127.0.0.1:9/mcp" }]\n');
    writeFileSync(join(at.folder, 'deep', 'e.yaml'), WAIT.replace(/target: .*/, 'target: shop'));
    expect((await at.run(['experiment', 'check', 'deep/e.yaml'])).stdout).toContain('quiet on shop');
    writeFileSync(join(at.folder, 'e.yaml'), WAIT.replace(/target: .*/, 'target: shop'));
    expect((await at.run(['experiment', 'check', 'e.yaml'])).stderr).toContain('there is no toolquake.yaml beside the file or here');
    expect((await at.run(['experiment', 'check', 'e.yaml', '--config', 'deep/toolquake.yaml'])).code).toBe(0);
  });
});

test('experiment explain says what is asked, broken, watched and undone, and what the verdict is made of', async () => {
  const { code, stdout } = await desk().run(['experiment', 'explain', 'e.yaml']);
  expect(code).toBe(0);
  for (const word of [
    'asks',
    'must stay true',
    'is broken',
    'stages',
    'stops by itself',
    'is undone',
    'verdict',
    'outage_seconds',
    '50 % of the full dose',
  ])
    expect(stdout).toContain(word);
  const json = await desk().run(['experiment', 'explain', 'e.yaml', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    experiment: { id: 'quiet' },
    parts: [{ title: 'asks' }, ...Array.from({ length: 7 }, () => ({}))],
  });
});

test('what a file says is shown, and never obeyed by the terminal', async () => {
  const at = desk({ 'e.yaml': WAIT.replace('Nothing happens when nothing is done.', '"A \\e[2J\\e]0;x\\a line,\\n and another."') });
  for (const argv of [['explain'], ['preview']]) {
    const { code, stdout } = await at.run(['experiment', ...argv, 'e.yaml'], { NODE_ENV: '' });
    expect([code, stdout]).toEqual([0, expect.stringContaining('A \ufffd[2J\ufffd]0;x\ufffd line, and another.')]);
  }
});

describe('experiment preview', () => {
  test('names what would be hit, how it is undone and the digest; changes nothing', async () => {
    const at = desk();
    const { code, stdout } = await at.run(['experiment', 'preview', 'e.yaml']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/stage {3}1 of 2: 10 %[^]*digest {2}[0-9a-f]{64}[^]*wait: wait for 30s[^]*Nothing was changed\./),
    ]);
    expect(at.files()).toEqual(['e.yaml']);
  });

  test('has a digest of its own for anything that is changed, and none for the order of keys', async () => {
    const first = await preview(desk());
    expect((await preview(desk({ 'e.yaml': WAIT.split('\n').toReversed().join('\n') }))).planDigest).toBe(first.planDigest);
    expect((await preview(desk({ 'e.yaml': WAIT.replace('300', '301') }))).planDigest).not.toBe(first.planDigest);
    expect(first).toMatchObject({ code: 0, stage: 1, consent: 'yes' });
  });

  test('has another digest when the target is described otherwise, wherever that stands', async () => {
    const digestWith = async (target: string): Promise<string> => {
      const at = desk({ 'e.yaml': WAIT.replace(/target: .*/, 'target: shop'), 'toolquake.yaml': `targets: [${target}]\n` });
      return (await preview(at)).planDigest;
    };
    const url = 'name: shop, url: "http://127.0.0.1:9/mcp"';
    const digests = [`{ ${url} }`, `{ ${url}, headers: { x-database: a } }`, `{ ${url}, headers: { x-database: b } }`].map(digestWith);
    expect(new Set(await Promise.all(digests)).size).toBe(3);
  });

  test('climbs with the runs below .toolquake, and refuses a stage that was skipped', async () => {
    const at = desk();
    expect(await preview(at, '--stage', '2')).toMatchObject({
      code: 2,
      ladder: { isAllowed: false, why: expect.stringContaining('it has not been run yet') },
    });
    const { faultDigest } = await preview(at);
    for (let count = 0; count < 3; count++) {
      const runId = `20261119-01431${count}-quiet-000${count}`;
      const folder = join(at.folder, '.toolquake', 'runs', runId);
      mkdirSync(folder, { recursive: true });
      const head = {
        v: 1,
        kind: 'experiment',
        atMs: 0,
        run: runId,
        experiment: 'quiet',
        question: 'Q.',
        target: 'quiet',
        environment: 'staging',
        startedAt: new Date(count * 1000).toISOString(),
        stage: 1,
        stages: 2,
        dose: 10,
        faultDigest,
        planDigest: 'p',
        isDryRun: false,
      };
      const lines = [head, { kind: 'build', atMs: 1, build: 'b' }, { kind: 'verdict', atMs: 2, verdict: 'held', why: '' }];
      writeFileSync(join(folder, 'journal.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
    expect(await preview(at)).toMatchObject({ code: 0, stage: 2, consent: 'approval', ladder: { isAllowed: true, counts: true } });
    expect((await preview(at, '--stage', '1')).ladder).toMatchObject({
      counts: false,
      widen: ['The next dose: --stage 2, 50 % instead of 10 %.', expect.anything()],
    });
  });

  test('says that an action cannot be done here, and what would make it possible', async () => {
    const at = desk({
      'e.yaml': WAIT.replace('action: wait', 'action: kill-process').replace('target:', 'manager: { pid: 2147483647 }\ntarget:'),
    });
    const { code, stdout } = await at.run(['experiment', 'preview', 'e.yaml']);
    expect([code, stdout]).toEqual([3, expect.stringContaining('cannot be done')]);
  });
});

test.each([{}, { MONITOR_TOKEN: '' }])('a monitor of somebody else needs its secret: with %j nothing is begun', async (env) => {
  const at = desk({ 'e.yaml': `${WAIT}monitor: { external: { port: 0, token: "\${MONITOR_TOKEN}" } }\n` });
  const state = join(at.folder, '.state');
  const { code, stderr } = await at.run(['run', 'e.yaml', '--yes'], { NODE_ENV: '', TOOLQUAKE_STATE_DIR: state, ...env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('MONITOR_TOKEN is not set')]);
  expect((await at.run(['leftovers'], { TOOLQUAKE_STATE_DIR: state })).code).toBe(0);
});

describe('approve', () => {
  const digest = 'ab'.repeat(32);
  const approvals = (at: Desk): readonly string[] => {
    const folder = join(at.folder, '.toolquake', 'approvals');
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  test('refuses what is no terminal: no pipe, no CI, no model gives an approval', async () => {
    const at = desk();
    const { code, stderr } = await at.run(['approve', digest]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('approved by a person at a terminal')]);
    const piped = spawn(process.execPath, [binPath, 'approve', digest], { cwd: at.folder, stdio: ['pipe', 'pipe', 'pipe'] });
    piped.stdin.end('approve\n');
    expect(await new Promise((resolve) => piped.once('close', resolve))).toBe(2);
    expect(await typeAt(at, ['approve', digest], 'approve', { CI: 'true' })).toMatchObject({ code: 2 });
    expect(approvals(at)).toEqual([]);
  });

  test('asks for a word at a terminal; any other word approves nothing', async () => {
    const at = desk();
    expect(await typeAt(at, ['approve', digest], 'yes')).toMatchObject({ code: 2, text: expect.stringContaining('Nothing was approved.') });
    expect(approvals(at)).toEqual([]);
    expect(await typeAt(at, ['approve', digest], 'approve')).toMatchObject({ code: 0, text: expect.stringContaining('Approved until ') });
    expect(approvals(at)).toEqual([`${digest}.json`]);
    expect(JSON.parse(readFileSync(join(at.folder, '.toolquake', 'approvals', `${digest}.json`), 'utf8'))).toMatchObject({ digest });
  });

  test.each([
    ['approve', ['approve', digest]],
    ['run', ['run', 'e.yaml']],
  ])('%s: Ctrl-C at the question interrupts, and Ctrl-D is no answer; neither is a mistake of ours', async (_, argv) => {
    const at = desk();
    const interrupted = await typeAt(at, argv, '\u0003', { NODE_ENV: '' });
    expect([interrupted.code, interrupted.text]).toEqual([130, expect.not.stringContaining('error')]);
    const closed = await typeAt(at, argv, '\u0004', { NODE_ENV: '' });
    expect([closed.code, closed.text]).toEqual([2, expect.stringMatching(/Nothing was approved|Nobody agreed/)]);
    expect(approvals(at)).toEqual([]);
  });

  test('refuses what is no digest', async () => {
    expect(await desk().run(['approve', '../../x'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is no digest of a plan') });
  });
});

describe('a missed alert', () => {
  const missed = (at: Desk, root: string, runId: string): NodeJS.ProcessEnv => {
    const env = { NODE_ENV: '', TOOLQUAKE_STATE_DIR: join(at.folder, 'state') };
    const targetDigest = targetDigestOf('http://localhost:9/mcp');
    noteMissedAlert(env, { runId, root, target: 'shop', targetDigest });
    return env;
  };

  test('blocks the server from every folder, by every name and spelling, until a person acknowledges the run', async () => {
    const far = desk();
    const at = desk({ 'e.yaml': WAIT.replace('id: quiet', 'id: renamed').replace('127.0.0.1:9/mcp', 'localhost:9/mcp/') });
    const runId = '20261119-014310-quiet-00aa';
    const env = missed(at, far.folder, runId);
    mkdirSync(join(far.folder, '.toolquake', 'runs', runId), { recursive: true });
    const lines = [
      { v: 1, kind: 'experiment', atMs: 0, run: runId, experiment: 'quiet', question: 'Q.', target: 'shop', environment: 'staging' },
      { kind: 'finding', atMs: 1, name: 'missed-alert', detail: 'No alert came.' },
      { kind: 'verdict', atMs: 2, verdict: 'violated', why: '' },
    ];
    const journal = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    writeFileSync(join(far.folder, '.toolquake', 'runs', runId, 'journal.jsonl'), journal);
    const refused = await at.run(['run', 'e.yaml', '--yes'], env);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`toolquake runs acknowledge ${runId} --why "..."`)]);
    expect((await at.run(['experiment', 'preview', 'e.yaml'], env)).code).toBe(2);
    const read = await at.run(['runs', 'acknowledge', runId, '--why', 'the rule watches /health now'], env);
    expect([read.code, read.stdout]).toEqual([0, expect.stringContaining('missed-alert acknowledged by')]);
    expect((await at.run(['experiment', 'preview', 'e.yaml'], env)).code).toBe(0);
    expect(readFileSync(join(far.folder, '.toolquake', 'runs', runId, 'acknowledgements.jsonl'), 'utf8')).toContain('/health');
  });

  test('can be acknowledged when its run is gone', async () => {
    const at = desk();
    const env = missed(at, '/nowhere', '20261119-014310-quiet-00ab');
    expect((await at.run(['experiment', 'preview', 'e.yaml'], env)).code).toBe(2);
    expect((await at.run(['runs', 'acknowledge', '20261119-014310-quiet-00ab', '--why', 'x'], env)).code).toBe(0);
    expect((await at.run(['experiment', 'preview', 'e.yaml'], env)).code).toBe(0);
  });
});

test('an approval is used up by a run that begins, and by no other', async () => {
  const at = desk({ 'e.yaml': `${WAIT}approval: { fromStage: 1 }\n` });
  const env = { NODE_ENV: '', TOOLQUAKE_STATE_DIR: join(at.folder, 'state') };
  const { planDigest } = await preview(at);
  const place = { root: at.folder, stateFolder: stateDirectory(env) };
  approve(place, planDigest, 'somebody', new Date());
  const isThere = (): boolean => 'approval' in findApproval(place, planDigest, new Date());
  expect((await at.run(['run', 'e.yaml', '--out', 'nowhere/at/all'], env)).code).toBe(3);
  expect(isThere()).toBe(true);
  const lock = takeServerLock({ env, server: 'http://localhost:9', runId: 'other', ledgerPath: join(at.folder, 'ledger.jsonl') });
  const busy = await at.run(['run', 'e.yaml'], env);
  expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining('Another experiment has http://localhost:9')]);
  expect(isThere()).toBe(true);
  lock.release();
  expect(existsSync(join(at.folder, '.toolquake', 'runs'))).toBe(false);
});

/** A terminal of util-linux around the command; answers when it is asked: with a line, or with a single key. */
function typeAt(
  at: Desk,
  argv: readonly string[],
  word: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; text: string }> {
  const { CI: _, ...inherited } = process.env;
  const command = [process.execPath, binPath, ...argv].map((part) => `'${part}'`).join(' ');
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: at.folder,
      env: { ...inherited, TOOLQUAKE_STATE_DIR: join(at.folder, '.state'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let text = '';
    let isAsked = false;
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (isAsked || !/Type "(?:approve|yes)"/.test(text)) return;
      isAsked = true;
      child.stdin.write(word.length === 1 ? word : `${word}\n`);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, text }));
  });
}
