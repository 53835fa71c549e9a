/** Starts what the stdio tests talk to: the built command line, a server alone, or a proxy inside the test process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createDecider, keyedRandom, type Fault, type JournalEntry, type Plan, type Rule } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { startStdioProxy, type StdioProxyOptions } from '../../packages/toolquake/src/proxies/stdio-proxy.js';
import { startServer, type ServerProcess } from '../../packages/toolquake/src/proxies/stdio-server.js';
import { createLineClient, type LineClient } from './line-client.js';

/** The command line as users start it. */
const cli: string = fileURLToPath(new URL('../../packages/toolquake/bin/toolquake.js', import.meta.url));

/** The command of one of our small servers. */
export const serverCommand = (name: string, ...args: string[]): string[] => [
  process.execPath,
  fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url)),
  ...args,
];

/** The command of the stdio proxy in front of a server. */
export const proxyCommand = (server: readonly string[], ...options: string[]): string[] => [
  process.execPath,
  cli,
  'proxy',
  'stdio',
  ...options,
  '--',
  ...server,
];

/** A started command. */
export type Started = {
  readonly child: ChildProcess;
  readonly client: LineClient;
  readonly stderr: LineClient;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** A command behind a shell that stays in front of it, as `npx` does. */
export const wrapped = (command: readonly string[]): string[] => ['sh', '-c', '"$@"; true', 'sh', ...command];

/** Starts a command with pipes on all three streams; `detached` gives it a process group of its own. */
export function start([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}, detached = false): Started {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env }, detached });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, client: createLineClient(child.stdin, child.stdout), stderr: createLineClient(new PassThrough(), child.stderr), exited };
}

/** A rule that always fires, with what a test changes about it. */
export function rule(fault: Fault, change: Partial<Rule> = {}): Rule {
  const params = Object.fromEntries(Object.entries(fault.params).map(([name, spec]) => [name, spec.default]));
  const filled: Rule = {
    id: fault.type,
    fault,
    params,
    when: {},
    at: {},
    probability: 1,
    shape: { kind: 'iid' },
    phase: fault.phases[0] ?? 'pre',
    isEnabled: true,
  };
  return { ...filled, ...change, params: { ...params, ...change.params } };
}

/** A proxy inside this process, in front of a real child process. */
export type InProcess = {
  readonly client: LineClient;
  readonly stdin: PassThrough;
  readonly server: ServerProcess;
  readonly journal: JournalEntry[];
  readonly problems: unknown[];
  readonly proxy: ReturnType<typeof startStdioProxy>;
};

/** Starts a proxy in this process with rules (and faults) that the test brings. */
export async function proxied(
  command: readonly string[],
  rules: readonly Rule[],
  change: Partial<StdioProxyOptions> = {},
): Promise<InProcess> {
  const plan: Plan = {
    version: 1,
    seed: 42,
    rules,
    limits: { maxFaults: undefined, maxMinutes: undefined },
    task: { by: 'session' },
    expect: { fired: [], measures: {} },
  };
  const journal: JournalEntry[] = [];
  const problems: unknown[] = [];
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const server = await startServer(command, 'pipe');
  const startedAtMs = realClock.nowMs();
  const proxy = startStdioProxy({
    server,
    stdin,
    stdout,
    plan,
    decider: createDecider({ plan, random: keyedRandom(plan.seed), transport: 'stdio', startedAtMs, observesAll: true }),
    clock: realClock,
    startedAtMs,
    journal: (entry) => journal.push(entry),
    onProblem: (error) => problems.push(error),
    ...change,
  });
  void proxy.finished.then(() => stdout.end());
  return { client: createLineClient(stdin, stdout), stdin, server, journal, problems, proxy };
}
