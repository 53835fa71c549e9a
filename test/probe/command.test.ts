/** `toolquake probe` and `toolquake fixture` as people run them: real processes, real servers, real signals. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startScript } from '../../packages/toolquake/src/sick-servers/mcp-script.js';
import { binPath, createDesk, type Desk } from '../cli/harness.js';

const server = path.resolve(import.meta.dirname, '../servers/slow.mjs');
const family = path.resolve(import.meta.dirname, '../servers/family.mjs');
const node = process.execPath;
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function healthy(): Promise<string> {
  const running = await startScript(() => false);
  stops.push(() => running.stop());
  return running.url;
}

type Report = {
  round: number;
  target: string;
  state: string;
  failure_reason: string | null;
  step: string | null;
  stages: { stage: string }[];
};
const reportsIn = (text: string): readonly Report[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Report);

/** Starts a command that goes on until it is told to stop. */
function start(desk: Desk, argv: readonly string[]): { child: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn(node, [binPath, ...argv], { cwd: desk.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  stops.push(() => child.kill('SIGKILL'));
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Of the processes in a file, none is left; one that has ended waits a moment for the system to clear it away. */
async function expectGone(file: string): Promise<void> {
  for (const pid of readFileSync(file, 'utf8').trim().split('\n')) {
    await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'), { timeout: 30_000 });
  }
}

describe('toolquake probe', () => {
  test('a healthy server is up: a bar for each stage, and exit code 0', async () => {
    const url = await healthy();
    const { code, stdout } = await createDesk().run(['probe', url]);
    expect(stdout).toMatch(/^ok {2}127\.0\.0\.1:\d+\/mcp {2}sick-server 1\.0\.0 · modern 2026-07-28 · http · 1 tools/);
    for (const stage of ['tcp', 'request', 'hello', 'list']) expect(stdout).toMatch(new RegExp(`^  ${stage} +█|^  ${stage} .*█`, 'm'));
    // eslint-disable-next-line no-control-regex -- no escape may be there
    expect(stdout).not.toMatch(/\u001b/);
    expect(code).toBe(0);
  });

  test('a server that is down fails with its reason, the step and what to do', async () => {
    const { code, stdout } = await createDesk().run(['probe', '--', node, '-e', 'console.error("no database");process.exit(7)']);
    expect(stdout).toMatch(/^DOWN /);
    expect(stdout).toContain('stdio_exited at hello: the server ended with exit code 7, saying: no database');
    expect(code).toBe(1);
  });

  test('a missing tool fails, and --json says so in one line per report', async () => {
    const url = await healthy();
    const { code, stdout } = await createDesk().run([
      'probe',
      url,
      '--expect-tools',
      'echo,refund',
      '--json',
      '--count',
      '2',
      '--interval',
      '1ms',
    ]);
    const reports = reportsIn(stdout);
    expect(reports.map(({ round }) => round)).toEqual([0, 1]);
    expect(reports[0]).toMatchObject({ step: 'list', failure_reason: 'tools_missing' });
    expect(code).toBe(1);
  });

  test('what fails on our own side is the environment: exit code 3', async () => {
    const url = await healthy();
    const desk = createDesk({
      'toolquake.yaml': `version: 1\ntargets:\n  - name: shop\n    url: ${url}\n    auth: { type: bearer, token: "\${NOT_SET_ANYWHERE}" }\n`,
    });
    const { code, stdout } = await desk.run(['probe', 'shop']);
    expect(stdout).toContain('the environment variable NOT_SET_ANYWHERE is not set');
    expect(code).toBe(3);
  });

  test('a mistake in toolquake.yaml is told with its place and the nearest word, and nothing is started', async () => {
    const desk = createDesk({
      'toolquake.yaml': `version: 1\ntargets:\n  - name: shop\n    comand: [${node}, -e, "require('fs').writeFileSync('started','')"]\n`,
    });
    const { code, stderr } = await desk.run(['probe']);
    expect(stderr).toContain('toolquake.yaml:4:5');
    expect(stderr).toContain('"command"');
    expect(code).toBe(2);
    expect(desk.files()).toEqual(['toolquake.yaml']);
  });

  test.each([
    [['probe', 'shpo'], '"shpo" is no URL', 'shop'],
    [['probe', '--interval', 'soon', 'shop'], '--interval must be a time, not "soon"', '10s'],
    [['probe', '--count', '0', 'shop'], '--count must be a whole number', 'nearest allowed value is 1'],
    [['probe', '--era', 'moderm', 'shop'], '--era must be auto or modern or legacy', 'modern'],
    [['probe', 'http://user:hunter2@127.0.0.1:9/mcp'], 'holds a user or a password', 'toolquake.yaml'],
    [['fixture', 'tls_expird'], 'There is no reason "tls_expird"', 'tls_expired'],
    [['fixture', 'dns_timeout'], 'No server produces "dns_timeout"', '--list'],
  ])('%j is refused with advice', async (argv, message, advice) => {
    const desk = createDesk({ 'toolquake.yaml': 'version: 1\ntargets:\n  - name: shop\n    url: http://127.0.0.1:9/mcp\n' });
    const { code, stderr } = await desk.run(argv);
    expect(stderr).toContain(message);
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain('hunter2');
    expect(code).toBe(2);
  });

  test('several targets of a file are one table, the worst of them is the exit code, and --out gets the same', async () => {
    const url = await healthy();
    const file = `version: 1\ntargets:\n  - name: shop\n    url: ${url}\n  - name: gone\n    url: http://127.0.0.1:9/mcp\n`;
    const desk = createDesk({ 'toolquake.yaml': file });
    const { code, stdout } = await desk.run(['probe']);
    expect(stdout).toMatch(/^state +target +total +era +reason$/m);
    expect(stdout).toMatch(/^ok +shop .* modern$/m);
    expect(stdout).toMatch(/^DOWN +gone .*connection_refused at tcp/m);
    expect(code).toBe(1);
    expect(await desk.run(['probe', 'shop', '--out', 'report.txt'])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(path.join(desk.folder, 'report.txt'), 'utf8')).toMatch(/^ok {2}shop/);
  });

  test('the health URL is asked with the trust of the target, and has a bar', async () => {
    const desk = createDesk();
    const sick = start(desk, ['fixture', 'tls_expiring', '--json']);
    const { url } = JSON.parse((await sick.lines.next()).value as string) as { url: string };
    const settings = start(desk, ['fixture', 'tls_expiring', '--out', 'sick.yaml']);
    await once(createInterface({ input: settings.child.stderr! }), 'line');
    expect(url).toContain('https://');
    const file = path.join(desk.folder, 'sick.yaml');
    const text = readFileSync(file, 'utf8');
    const at = /url: (\S+)/.exec(text)![1]!;
    writeFileSync(file, `${text}    health: { url: ${at.replace('/mcp', '/health')}, expectStatus: 404 }\n`);
    const { stdout } = await desk.run(['probe', '--config', 'sick.yaml', '--json']);
    const [report] = reportsIn(stdout);
    expect(stdout).not.toContain('tls_untrusted');
    expect(report!.stages.map(({ stage }) => stage)).toContain('health');
  });

  test('--watch goes on until Ctrl-C, which leaves no process and exits with 130', async () => {
    const desk = createDesk({ pids: '' });
    const pids = path.join(desk.folder, 'pids');
    const { child, lines } = start(desk, ['probe', '--watch', '--interval', '10ms', '--json', '--', node, family, pids]);
    const ended = once(child, 'exit');
    for (let round = 0; round < 2; round++)
      expect(reportsIn((await lines.next()).value as string)[0]).toMatchObject({ round, target: expect.stringContaining('family.mjs') });
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    await expectGone(pids);
  });

  test('Ctrl-C in the middle of a probe leaves no process, either', async () => {
    const desk = createDesk({ pids: '' });
    const silent = `require('fs').appendFileSync('pids', process.pid + '\\n'); console.error('here'); process.stdin.resume(); setInterval(() => {}, 1000)`;
    const { child } = start(desk, ['probe', '--', node, '-e', silent]);
    const ended = once(child, 'exit');
    const pids = path.join(desk.folder, 'pids');
    await expect.poll(() => readFileSync(pids, 'utf8'), { timeout: 60_000 }).toMatch(/\d+\n/);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    await expectGone(pids);
  });

  test('what a server started and left behind is ended with it', async () => {
    const desk = createDesk({ pids: '' });
    const { code } = await desk.run(['probe', '--', node, family, path.join(desk.folder, 'pids')]);
    expect(code).toBe(0);
    await expectGone(path.join(desk.folder, 'pids'));
  });

  test('a slow server is still up, and its calls are canaries of the file', async () => {
    const desk = createDesk({
      'toolquake.yaml': `version: 1\ntargets:\n  - name: slow\n    command: [${node}, ${server}]\n    canaries: [{ tool: work, mayWrite: true }]\n`,
    });
    const { code, stdout } = await desk.run(['probe', 'slow']);
    expect(stdout).toMatch(/^ {2}call .*█/m);
    expect(code).toBe(0);
  });
});

describe('toolquake fixture', () => {
  test('--list names what can be started, as a table and as JSON', async () => {
    const desk = createDesk();
    const { code, stdout } = await desk.run(['fixture', '--list']);
    expect(stdout).toMatch(/^tls_expired +tls +http /m);
    expect(stdout).toMatch(/^stdio_exited +stdio +stdio /m);
    expect(code).toBe(0);
    const rows = JSON.parse((await desk.run(['fixture', '--list', '--json'])).stdout) as { reason: string }[];
    expect(rows.map(({ reason }) => reason)).toContain('tls_expired');
  });

  test('a probe calls a fixture by its name, and Ctrl-C ends the fixture', async () => {
    const desk = createDesk();
    const { child } = start(desk, ['fixture', 'tls_expired', '--out', 'sick.yaml']);
    const ended = once(child, 'exit');
    await once(createInterface({ input: child.stderr! }), 'line');
    const { code, stdout } = await desk.run(['probe', '--config', 'sick.yaml', '--json']);
    expect(reportsIn(stdout)[0]).toMatchObject({ target: 'tls_expired', failure_reason: 'tls_expired', step: 'tls' });
    expect(code).toBe(1);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });

  test('on stdio it is itself the server', async () => {
    const { code, stdout } = await createDesk().run(['probe', '--json', '--', node, binPath, 'fixture', 'stdio_exited']);
    expect(reportsIn(stdout)[0]).toMatchObject({ failure_reason: 'stdio_exited' });
    expect(code).toBe(1);
  });
});
