/** `toolquake smoke` against real servers, each in a state in which a deployment can leave one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { SmokeReport, SmokeStep } from '../../packages/toolquake/src/gates/smoke/smoke-report.js';
import { binPath, createDesk, type Desk, type Run } from '../cli/harness.js';
import { startDualEra } from '../servers/http-dual-era.mjs';
import { startRelease } from '../servers/release.mjs';

const DEPLOYED = path.resolve(import.meta.dirname, '../servers/deployed.mjs');
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function release(options: Parameters<typeof startRelease>[0] = {}): ReturnType<typeof startRelease> {
  const server = await startRelease(options);
  stops.push(() => server.stop());
  return server;
}

// The machine that runs the tests may be busy: budgets are for what is measured elsewhere.
const PATIENT = '--budget=dial=60s,hello=60s,manifest=60s,calls=60s,auth=60s,total=300s';

async function smoke(argv: readonly string[], desk: Desk = createDesk(), env: NodeJS.ProcessEnv = {}): Promise<SmokeReport & { run: Run }> {
  const run = await desk.run(['smoke', '--json', PATIENT, ...argv], env);
  expect(run.stdout, run.stderr).not.toBe('');
  return { ...(JSON.parse(run.stdout) as SmokeReport), run };
}

function stepOf({ steps }: SmokeReport, name: SmokeStep['step']): SmokeStep {
  const found = steps.find(({ step }) => step === name);
  if (found === undefined) throw new Error(`no step ${name}`);
  return found;
}

describe('a good deployment', () => {
  test('passes: the expected version, the locked manifest, a call, and strangers are kept out', async () => {
    const { url } = await release({ token: 'sesame-sesame' });
    const desk = createDesk({
      'toolquake.yaml': [
        'targets:',
        '  - name: shop',
        `    url: ${url}`,
        '    auth: { type: bearer, token: "${SHOP_TOKEN}" }',
        '    manifest: shop.lock.json',
        '    canaries:',
        '      - { tool: orders, expect: { contains: ["\\"id\\":1"] } }',
        '',
      ].join('\n'),
    });
    const env = { SHOP_TOKEN: 'sesame-sesame' };
    expect(await desk.run(['lock', 'shop'], env)).toMatchObject({ code: 0, stdout: '' });
    expect(desk.files()).toContain('shop.lock.json');
    expect(await desk.run(['diff', 'shop'], env)).toMatchObject({ code: 0 });
    const report = await smoke(['shop', '--expect-version', '1.0.0', '--require-auth'], desk, env);
    expect(report.steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
      'dial passed',
      'hello passed',
      'manifest passed',
      'calls passed',
      'auth passed',
    ]);
    expect(report).toMatchObject({ verdict: 'passed', server: { name: 'release', version: '1.0.0' }, run: { code: 0 } });
    expect(stepOf(report, 'hello').detail).toContain('the same in 5 hellos');
    expect(stepOf(report, 'manifest').detail).toContain('as locked');
    expect(report.run.stdout).not.toContain('sesame');
    const unset = await smoke(['shop'], desk);
    expect(unset).toMatchObject({ verdict: 'unknown', run: { code: 3 } });
    expect(unset.steps.find(({ state }) => state === 'unknown')?.detail).toContain('SHOP_TOKEN');
  });

  test('is waited for while it starts, and the wait is no part of the pass', async () => {
    const { url } = await release({ busy: 4 });
    const report = await smoke([url, '--call', 'echo', '--args', '{"text":"hi"}', '--wait', '60s']);
    expect(report).toMatchObject({ verdict: 'passed', run: { code: 0 } });
    expect(report.ready.attempts).toBeGreaterThan(1);
    expect(report.ready.failure).toContain('http_unavailable');
    expect(report.ready.waitedMs).toBeGreaterThanOrEqual(250);
  });

  test('is not asked to write unless that is allowed', async () => {
    const { url, seen } = await release();
    const refused = await smoke([url, '--call', 'cancel']);
    expect(refused).toMatchObject({ verdict: 'unknown', run: { code: 3 } });
    expect(stepOf(refused, 'calls').detail).toContain('readOnlyHint');
    expect(seen.cancelled).toBe(0);
    expect(await smoke([url, '--call', 'cancel', '--allow-writes'])).toMatchObject({ verdict: 'passed', run: { code: 0 } });
    expect(seen.cancelled).toBe(1);
  });
});

const NO_SERVER = 'console.log("usage: other-tool"); setInterval(() => {}, 1000)';

describe('a bad deployment', () => {
  test('wrong binary: a program that is no MCP server', async () => {
    const report = await smoke(['--budget=hello=2s', '--era=legacy', '--', process.execPath, '-e', NO_SERVER]);
    expect(report).toMatchObject({ verdict: 'failed', run: { code: 1 } });
    expect(stepOf(report, 'hello')).toMatchObject({ reason: 'stdio_stdout_pollution', clue: expect.stringContaining('wrong binary') });
  });

  test('missing variable: what the server says on stderr is the reason', async () => {
    const report = await smoke(['--', process.execPath, DEPLOYED]);
    expect(report).toMatchObject({ verdict: 'failed', run: { code: 1 } });
    expect(stepOf(report, 'hello')).toMatchObject({
      reason: 'stdio_exited',
      detail: expect.stringContaining('SHOP_DATABASE is not set'),
      clue: expect.stringContaining('missing variable'),
    });
  });

  test('port taken: the new server dies of it, and over HTTP the old one answers in its place', async () => {
    const old = await release({ version: '1.0.0' });
    const report = await smoke(['--', process.execPath, DEPLOYED, String(old.port)], createDesk(), { SHOP_DATABASE: 'here' });
    expect(stepOf(report, 'hello')).toMatchObject({ state: 'failed', clue: expect.stringContaining('port taken') });
    await expect(startRelease({ version: '2.0.0', port: old.port })).rejects.toThrow('EADDRINUSE');
    const seen = await smoke([old.url, '--expect-version', '2.0.0']);
    expect(seen).toMatchObject({ verdict: 'failed', run: { code: 1 } });
    expect(stepOf(seen, 'hello')).toMatchObject({
      reason: 'deploy_wrong_version',
      detail: 'release 1.0.0 answers, version 2.0.0 expected',
    });
  });

  test('migration not run: handshake and list are fine, the call is not', async () => {
    const { url } = await release({ isMigrated: false });
    const report = await smoke([url, '--call', 'orders']);
    expect(report).toMatchObject({ verdict: 'failed', run: { code: 1 } });
    expect(stepOf(report, 'manifest').state).toBe('passed');
    expect(stepOf(report, 'calls')).toMatchObject({
      reason: 'canary_tool_error',
      detail: expect.stringContaining('no such table: orders'),
      clue: expect.stringContaining('migration not run'),
    });
  });

  test('hanging: a call that is never answered is given up, and strangers are still looked at', async () => {
    const { url, stop } = await startDualEra();
    stops.push(stop);
    const report = await smoke([url, '--call', 'wait', '--allow-writes', '--require-auth', '--budget', 'calls=1s']);
    expect(stepOf(report, 'calls')).toMatchObject({ state: 'failed', reason: 'canary_timeout' });
    expect(stepOf(report, 'auth').reason).toBe('deploy_auth_open');
  });

  test('half rolled: two builds behind one address are both named', async () => {
    const servers = [await release({ version: '1.0.0' }), await release({ version: '2.0.0' })];
    const report = await smoke([await roundRobin(servers.map(({ port }) => port)), '--expect-version', '2.0.0']);
    expect(report).toMatchObject({ verdict: 'failed', run: { code: 1 } });
    const { reason, detail } = stepOf(report, 'hello');
    expect(reason).toBe('deploy_mixed');
    expect(detail).toMatch(/release 1\.0\.0 \(\d of 5 hellos\)/);
    expect(detail).toMatch(/release 2\.0\.0 \(\d of 5 hellos\)/);
  });

  test('a tool is gone: the lock says so, and a waiver lets it pass', async () => {
    const desk = createDesk({
      'waivers.json': JSON.stringify({
        version: 1,
        waivers: [{ finding: 'tool.removed', reason: 'Announced in spring.', until: '2999-12-31' }],
      }),
    });
    const before = await release();
    expect(await desk.run(['lock', before.url, '--out', 'mcp.lock.json'])).toMatchObject({ code: 0 });
    const { url } = await release({ without: 'orders' });
    const report = await smoke([url, '--lock', 'mcp.lock.json'], desk);
    expect(report).toMatchObject({ verdict: 'failed', run: { code: 1 } });
    expect(stepOf(report, 'manifest')).toMatchObject({ reason: 'manifest_breaking', detail: expect.stringContaining('tool orders') });
    expect(await smoke([url, '--lock', 'mcp.lock.json', '--waivers', 'waivers.json'], desk)).toMatchObject({ verdict: 'passed' });
  });

  test('open to everybody: whoever demands authentication is told', async () => {
    const { url } = await release();
    const report = await smoke([url, '--require-auth']);
    expect(report).toMatchObject({ verdict: 'failed', run: { code: 1 } });
    expect(stepOf(report, 'auth')).toMatchObject({ reason: 'deploy_auth_open', detail: expect.stringContaining('tools/list (3 tools)') });
    expect(stepOf(await smoke([url]), 'auth').state).toBe('skipped');
  });

  test('a 401 without a challenge leaves clients helpless', async () => {
    const { url } = await release({ token: 'sesame-sesame', challenge: '' });
    const desk = createDesk({
      'toolquake.yaml': `targets:\n  - name: shop\n    url: ${url}\n    headers: { Authorization: "Bearer \${SHOP_TOKEN}" }\n`,
    });
    const report = await smoke(['shop'], desk, { SHOP_TOKEN: 'sesame-sesame' });
    expect(stepOf(report, 'auth')).toMatchObject({ state: 'failed', reason: 'auth_challenge_invalid' });
  });
});

describe('output', () => {
  test('every format tells the same failure, and only github writes a summary', async () => {
    const { url } = await release({ isMigrated: false });
    const desk = createDesk({ 'summary.md': '' });
    const run = (...argv: readonly string[]): Promise<Run> =>
      desk.run(['smoke', url, '--call', 'orders', PATIENT, ...argv], { GITHUB_STEP_SUMMARY: path.join(desk.folder, 'summary.md') });
    const console = await run();
    expect(console.stdout).toMatch(/FAIL +calls +\d.* canary_tool_error: orders: .*no such table/);
    expect(console.stdout).toContain('looks like migration not run');
    expect((await run('--format', 'junit')).stdout).toContain('tests="5" failures="1"');
    expect((await run('--format', 'markdown')).stdout).toContain('<code>canary_tool_error</code>');
    const summary = (): string => readFileSync(path.join(desk.folder, 'summary.md'), 'utf8');
    expect(summary()).toBe('');
    const github = await run('--format', 'github');
    expect(github.stdout).toMatch(/^::error title=Smoke%3A 127\.0\.0\.1%3A\d+\/mcp%3A calls failed::canary_tool_error: orders/m);
    expect(summary()).toContain('toolquake smoke');
    await run('--format', 'junit', '--out', 'smoke.xml');
    expect(desk.files()).toContain('smoke.xml');
  });

  test('refuses what it cannot do before anything starts', async () => {
    const desk = createDesk();
    expect(await desk.run(['smoke', '--require-auth', '--', 'true'])).toMatchObject({ code: 2 });
    expect(await desk.run(['smoke', 'http://127.0.0.1:1/', '--budget', 'cals=1s'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "calls"?'),
    });
    expect(await desk.run(['smoke', 'http://127.0.0.1:1/', '--lock', 'none.json'])).toMatchObject({ code: 2 });
    expect(await desk.run(['smoke', 'http://127.0.0.1:1/', '--args', '{}'])).toMatchObject({ code: 2 });
  });

  test('Ctrl-C ends it with 130 and leaves no child', async () => {
    const desk = createDesk();
    const told = createServer();
    const port = await listening(told);
    // The silent server dials us when it runs, so that nobody has to guess when; it holds the line for as long as it lives.
    const silent = `require("net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1000)`;
    const arrived = once(told, 'connection');
    const child = spawn(process.execPath, [binPath, 'smoke', PATIENT, '--era', 'legacy', '--', process.execPath, '-e', silent], {
      cwd: desk.folder,
      stdio: 'ignore',
    });
    const [line] = (await arrived) as [Socket];
    const gone = once(line, 'close');
    line.on('error', () => {}).resume();
    const ended = once(child, 'close');
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    await gone;
  });
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** A balancer that knows nothing but connections: each goes to the next replica. */
async function roundRobin(ports: readonly number[]): Promise<string> {
  let next = 0;
  const relay = createServer((client) => {
    const replica = connect(ports[next++ % ports.length]!, '127.0.0.1');
    for (const [from, to] of [[client, replica] as const, [replica, client] as const]) {
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  return `http://127.0.0.1:${await listening(relay)}/mcp`;
}
