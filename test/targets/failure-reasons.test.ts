// Reason by reason: the world is made sick in one way, and the probe must call it by its name. The whole is a matrix.
import { spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@toolquake/sdk/interceptors';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { ConfiguredTarget } from '../../packages/toolquake/src/config/configured-target.js';
import { loadProject } from '../../packages/toolquake/src/config/load-project.js';
import { PLAIN_PROBE } from '../../packages/toolquake/src/core/expectation.js';
import { failureReasons, type FailureReason } from '../../packages/toolquake/src/core/failure-reason.js';
import type { ProbeReport } from '../../packages/toolquake/src/core/probe-report.js';
import { probeRounds } from '../../packages/toolquake/src/operations/probe-rounds.js';
import type { ProbeWorld } from '../../packages/toolquake/src/targets/probe-target.js';
import { startSickServer } from '../../packages/toolquake/src/operations/sick-server.js';
import { ailments, ailmentsOnStdio } from '../../packages/toolquake/src/sick-servers/catalogue.js';
import { startScript } from '../../packages/toolquake/src/sick-servers/mcp-script.js';
import type { Resolve } from '../../packages/toolquake/src/targets/dial.js';
import { binPath } from '../cli/harness.js';

/** These come from comparing with something that a probe does not have: a lock file, a history, what was deployed; or they would be a defect. */
const NOT_OF_A_PROBE: readonly FailureReason[] = [
  'manifest_breaking',
  'latency_anomaly',
  'deploy_wrong_version',
  'deploy_mixed',
  'deploy_auth_open',
  'deploy_too_slow',
  'unknown',
];
/** Long enough for healthy steps on a busy machine where one is to be met; short where the trouble is silence. */
const SILENT: Readonly<Record<string, Partial<Record<string, number>>>> = {
  tls_timeout: { tlsMs: 300 },
  connect_timeout: { tcpMs: 300 },
  dns_timeout: { resolveMs: 300 },
  discover_timeout: { helloMs: 500 },
  initialize_timeout: { helloMs: 1500 },
  tools_list_timeout: { listMs: 500 },
  sse_no_final_response: { listMs: 500 },
  canary_timeout: { callMs: 500 },
  stdio_no_response: { detectMs: 3000, helloMs: 3000 },
};
const PATIENT = {
  resolveMs: 20_000,
  tcpMs: 20_000,
  tlsMs: 20_000,
  detectMs: 20_000,
  helloMs: 20_000,
  listMs: 20_000,
  callMs: 20_000,
  totalMs: 60_000,
};

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const WORLD: ProbeWorld = { clock: realClock, wallClockMs: Date.now, env: process.env };

async function probe(
  reason: FailureReason,
  configured: ConfiguredTarget,
  world: Partial<ProbeWorld> = {},
  count = 1,
): Promise<ProbeReport> {
  const target = { ...configured.target, budgets: { ...PATIENT, ...configured.target.budgets, ...SILENT[reason] } };
  const [report] = await probeRounds([{ ...configured, target }], {
    world: { ...WORLD, ...world },
    count,
    intervalMs: reason === 'probe_overrun' ? 1 : 50,
    concurrency: 1,
    onReport: () => {},
    onRoundEnd: () => {},
  });
  return report!;
}

async function probeSick(reason: FailureReason): Promise<ProbeReport> {
  const sick = await startSickServer(reason);
  stops.push(() => sick!.stop());
  const file = join(mkdtempSync(join(tmpdir(), 'toolquake-sick-')), 'sick.yaml');
  writeFileSync(file, sick!.settings);
  const { targets } = await loadProject(file);
  const rounds: Partial<Record<FailureReason, number>> = { era_changed: 2, manifest_changed: 2, manifest_unstable: 3 };
  return probe(reason, targets[0]!, { env: { ...process.env, ...sick!.variables } }, rounds[reason]);
}

const url = (at: string, plan = PLAIN_PROBE): ConfiguredTarget => ({
  target: { name: at, kind: 'url', url: at },
  plan,
  manifest: undefined,
  labels: {},
});
const command = (...words: readonly string[]): ConfiguredTarget => ({
  target: { name: 'it', kind: 'command', command: words },
  plan: PLAIN_PROBE,
  manifest: undefined,
  labels: {},
});

/** A resolver that asks a name server of our own, which answers with a code, or not at all. */
async function resolverThat(code: number | undefined): Promise<Resolve> {
  const server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    if (code === undefined) return;
    const answer = Buffer.from(query);
    answer[2] = 0x81;
    answer[3] = 0x80 | code;
    server.send(answer, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  stops.push(() => resolver.cancel());
  return async (host) => (await resolver.resolve4(host)).map((address) => ({ address, family: 4 }));
}

/** A port whose queue is full because its process is stopped: further attempts get no answer. */
async function deafPort(): Promise<number> {
  const source = `require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},function(){console.log(this.address().port)})`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  const sockets: Socket[] = [];
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const port = Number(String(line));
  for (let index = 0; index < 8; index++) sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
  // The queue is full once two of them are through; the rest waits.
  for (const socket of sockets.slice(0, 2)) if (socket.connecting) await once(socket, 'connect');
  return port;
}

const healthy = async (): Promise<string> => {
  const running = await startScript(() => false);
  stops.push(() => running.stop());
  return running.url;
};
const freePort = async (): Promise<number> => {
  const running = await startScript(() => false);
  await running.stop();
  return Number(new URL(running.url).port);
};
const slow = (stage: string, ms: number): typeof PLAIN_PROBE => ({ ...PLAIN_PROBE, slowMs: { [stage]: ms } });
const secondsLater: Resolve = () =>
  new Promise((resolve) => void realClock.schedule(120, () => resolve([{ address: '127.0.0.1', family: 4 }])));

/** What no server can show: the world of the probe is arranged. */
const arranged: Partial<Readonly<Record<FailureReason, () => Promise<ProbeReport>>>> = {
  dns_nxdomain: async () => probe('dns_nxdomain', url('http://gone.example/mcp'), { resolve: await resolverThat(3) }),
  dns_servfail: async () => probe('dns_servfail', url('http://broken.example/mcp'), { resolve: await resolverThat(2) }),
  dns_timeout: async () => probe('dns_timeout', url('http://silent.example/mcp'), { resolve: await resolverThat(undefined) }),
  // An address that no machine has a route to: reserved, and refused by the system itself.
  host_unreachable: () => probe('host_unreachable', url('http://far.example/mcp'), { resolve: unroutable }),
  connect_timeout: async () => probe('connect_timeout', url(`http://127.0.0.1:${await deafPort()}/mcp`)),
  probe_config_error: () => {
    const { target, ...rest } = url('http://127.0.0.1:1/mcp');
    return probe('probe_config_error', {
      ...rest,
      target: { ...target, auth: { kind: 'bearer', tokenVariable: 'TOOLQUAKE_NOT_SET' } } as typeof target,
    });
  },
  probe_offline: async () => {
    const controlUrl = `http://127.0.0.1:${await freePort()}/`;
    return probe('probe_offline', url(`http://127.0.0.1:${await freePort()}/mcp`), { controlUrl });
  },
  probe_overrun: async () => probe('probe_overrun', url(await healthy()), {}, 2),
  stdio_spawn_failed: () => probe('stdio_spawn_failed', command('no-such-command-anywhere')),
  slow_resolve: async () => {
    const at = new URL(await healthy());
    return probe('slow_resolve', url(`http://named.example:${at.port}/mcp`, slow('resolve', 50)), { resolve: secondsLater });
  },
  slow_tcp: async () => probe('slow_tcp', url(await healthy(), slow('tcp', 0))),
  slow_tls: async () => {
    const sick = await startSickServer('tls_expiring');
    stops.push(() => sick!.stop());
    const file = join(mkdtempSync(join(tmpdir(), 'toolquake-sick-')), 'sick.yaml');
    writeFileSync(file, sick!.settings.replace('name: tls_expiring', 'name: tls_expiring\n    slow: { tls: 1ms }'));
    return probe('slow_tls', (await loadProject(file)).targets[0]!);
  },
};
const unroutable: Resolve = () => Promise.resolve([{ address: '2001:db8::1', family: 6 }]);

const tested = failureReasons.filter((reason) => !NOT_OF_A_PROBE.includes(reason));
const matrix: [expected: FailureReason, found: string][] = [];

function measure(reason: FailureReason): Promise<ProbeReport> {
  if (arranged[reason] !== undefined) return arranged[reason]();
  if (reason in ailmentsOnStdio) return probe(reason, command(process.execPath, binPath, 'fixture', reason));
  expect(ailments, `nothing produces ${reason}`).toHaveProperty(reason);
  return probeSick(reason);
}

test.each(tested)('%s', async (reason) => {
  const report = await measure(reason);
  // Warnings leave the target up; they are the one thing that was found.
  const found = report.failure_reason ?? report.findings.map((finding) => finding.reason).join('+');
  matrix.push([reason, found]);
  expect(found, JSON.stringify(report.findings)).toBe(reason);
  expect(report.findings.every(({ detail }) => detail.length > 0)).toBe(true);
  expect(report.state === 'up').toBe(report.failure_reason === null);
});

test('a healthy server gives none of them', async () => {
  const report = await probe('unknown', url(await healthy()));
  expect(report).toMatchObject({ state: 'up', failure_reason: null, findings: [], facts: { era: 'modern', tools: 1 } });
});

afterAll(() => {
  const off = matrix.filter(([expected, found]) => expected !== found);
  const lines = off.map(([expected, found]) => `  ${expected.padEnd(32)} -> ${found}`);
  process.stdout.write(
    `confusion matrix: ${matrix.length} reasons, ${matrix.length - off.length} on the diagonal, ${off.length} off it\n${lines.join('\n')}\n`,
  );
});
