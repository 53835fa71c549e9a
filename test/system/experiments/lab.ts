/** Everything that the shipped experiments need, once for a test file: PostgreSQL, PM2, and a demo server for each of them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunEntry } from '../../../packages/toolquake/src/core/run-entry.js';
import { createDemoDatabase } from '../../servers/demo/database.mjs';
import { binPath, createDesk } from '../../cli/harness.js';
import { listeningPort } from '../listening-port.js';
import type { Postgres } from '../postgres/start-postgres.js';
import { providePm2, type Pm2 } from '../provide-pm2.js';
import { adapted, SPEED, type Changes } from './adapt.js';
import { ADMIN_TOKEN, DEMO, isHealthy, startDemoPostgres } from './demo.js';

/** What an experiment wants of its server. */
export type Wanted = {
  readonly variant?: string;
  readonly replicas?: number;
  /** How long PM2 waits before it starts a server again. */
  readonly restartDelayMs?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly canaryMs?: number;
};

/** A server under PM2, with a proxy between it and its database. */
export type Subject = {
  readonly name: string;
  readonly url: string;
  readonly healthUrl: string;
  /** How long a probe waits for a tool. */
  readonly canaryMs: number;
  /** One address for each replica. */
  readonly adminUrls: readonly string[];
  readonly relay: { readonly port: number; readonly adminUrl: string };
};

/** What came of a run: its exit code, what it printed, and its journal. */
export type Outcome = {
  readonly code: number | null;
  readonly printed: string;
  readonly entries: readonly RunEntry[];
  readonly verdict: Extract<RunEntry, { kind: 'verdict' }> | undefined;
  readonly findings: readonly string[];
  readonly alerts: readonly Extract<RunEntry, { kind: 'alert' }>[];
};

/** `besides`: places that are not anybody's own, and are another way in one test. */
export type RunOptions = { readonly besides?: Changes; readonly ready?: () => Promise<void> };

/** See the module comment. */
export type Lab = {
  readonly subject: (name: string) => Subject;
  /** Runs a shipped experiment by the built command line, as soon as the server is `ready`; again where a run said nothing. */
  run(experiment: string, subject: Subject, changes?: Changes, options?: RunOptions): Promise<Outcome>;
  close(): Promise<void>;
};

const AT_ONCE = 3;

/** Opens a lab with these servers. */
export async function openLab(wanted: Readonly<Record<string, Wanted>>): Promise<Lab> {
  const relays: ChildProcess[] = [];
  let postgres: Postgres | undefined;
  let pm2: Pm2 | undefined;
  const close = async (): Promise<void> => {
    await pm2?.stop();
    for (const relay of relays) relay.kill('SIGKILL');
    await postgres?.stop();
  };
  try {
    [postgres, pm2] = await Promise.all([startDemoPostgres(), providePm2()]);
    const { port: databasePort } = postgres;
    const subjects = new Map<string, Subject>();
    const apps = [];
    for (const [name, { variant = 'good', replicas = 1, settings = {}, canaryMs = 1500, ...more }] of Object.entries(wanted)) {
      const database = name.replaceAll('-', '_');
      await createDemoDatabase({ port: databasePort, user: 'tester', name: database });
      const relay = await startRelay(databasePort);
      relays.push(relay.child);
      const port = await listeningPort();
      const adminPort = await listeningPort(replicas);
      const env = {
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        DATABASE_URL: `postgres://tester@127.0.0.1:${relay.port}/${database}`,
        DEMO_VARIANT: variant,
        // As patient as the probe that asks: a busy host is no database that is gone.
        DEMO_HEALTH_MS: String(canaryMs - 200),
        // Beside a few milliseconds every pause of the host would be slowness.
        DEMO_WORK_MS: '150',
        NODE_ENV: 'development',
        CHAOS_ENABLED: 'true',
        CHAOS_ADMIN_TOKEN: ADMIN_TOKEN,
        ...settings,
      };
      // Long enough for two probes to see that it is gone; a server that ends by itself is started again sooner.
      const { restartDelayMs = variant === 'good' ? Math.max(2000, 150_000 / SPEED) : 200 } = more;
      const delay = { restart_delay: restartDelayMs, max_restarts: 1000 };
      apps.push({ name, script: DEMO, env, ...delay, ...(replicas === 1 ? {} : { instances: replicas, exec_mode: 'cluster' }) });
      const base = `http://127.0.0.1:${port}`;
      subjects.set(name, {
        name,
        url: `${base}/mcp`,
        healthUrl: `${base}/health`,
        canaryMs,
        adminUrls: Array.from({ length: replicas }, (_, index) => `http://127.0.0.1:${adminPort + index}`),
        relay,
      });
    }
    const file = join(pm2.home, 'apps.json');
    writeFileSync(file, JSON.stringify({ apps }));
    await pm2.pm2('start', file);
    await Promise.all([...subjects.values()].map((subject) => isHealthy(subject)));
    const { env } = pm2;
    let running = 0;
    const waiting: (() => void)[] = [];
    /** More at once would be an experiment on this host. */
    const taken = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    };
    return {
      subject(name) {
        const found = subjects.get(name);
        if (found === undefined) throw new Error(`There is no server "${name}" in this lab.`);
        return found;
      },
      async run(experiment, subject, changes = {}, { besides = {}, ready } = {}) {
        for (let again = 0; ; again++) {
          await ready?.();
          const outcome = await taken(() => run(experiment, subject, env, changes, besides));
          if (again === 2 || !wasDisturbed(outcome)) return outcome;
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * What else runs on this host was felt before anything was injected: the server was not steady, so that nothing was, or a probe of
 * the quiet phase failed, so that it was none. Such a run says nothing about the server.
 */
function wasDisturbed({ verdict, entries }: Outcome): boolean {
  if (verdict?.verdict === 'inconclusive' && verdict.why.startsWith('The baseline is invalid')) return true;
  const faultMs = entries.find((entry) => entry.kind === 'action')?.atMs ?? 0;
  return entries.some((entry) => entry.kind === 'sample' && entry.atMs < faultMs && entry.sample.source === 'probe' && !entry.sample.isUp);
}

async function startRelay(upstream: number): Promise<{ child: ChildProcess; port: number; adminUrl: string }> {
  const argv = [binPath, 'proxy', 'tcp', '--upstream', `127.0.0.1:${upstream}`, '--port', '0', '--admin-port', '0', '--json'];
  const child = spawn(process.execPath, argv, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_ENV: 'development', TOOLQUAKE_ADMIN_TOKEN: ADMIN_TOKEN },
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const { port, adminUrl } = JSON.parse(line) as { port: number; adminUrl: string };
  return { child, port, adminUrl };
}

async function run(
  experiment: string,
  subject: Subject,
  env: Readonly<Record<string, string>>,
  changes: Changes,
  besides: Changes,
): Promise<Outcome> {
  const desk = createDesk({
    'experiment.yaml': adapted(experiment, changes, { besides }),
    'toolquake.yaml': JSON.stringify({
      version: 1,
      targets: [
        {
          name: 'demo',
          url: subject.url,
          budgets: { call: `${subject.canaryMs}ms`, health: `${subject.canaryMs}ms`, total: `${subject.canaryMs + 1500}ms` },
          health: { url: subject.healthUrl },
          canaries: [{ tool: 'search_documents', arguments: { query: 'chaos' }, expect: { length: { documents: { min: 1 } } } }],
        },
      ],
    }),
  });
  const state = join(desk.folder, 'state');
  mkdirSync(state);
  const ran = await desk.run(['run', 'experiment.yaml', '--yes', '--json'], {
    ...env,
    NODE_ENV: 'development',
    CHAOS_ENABLED: 'true',
    CHAOS_ADMIN_TOKEN: ADMIN_TOKEN,
    TOOLQUAKE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOOLQUAKE_STATE_DIR: state,
  });
  const runs = join(desk.folder, '.toolquake', 'runs');
  const [id] = existsSync(runs) ? readdirSync(runs) : [];
  const journal = id === undefined ? '' : readFileSync(join(runs, id, 'journal.jsonl'), 'utf8');
  const entries = journal.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RunEntry]));
  if (process.env['KEEP_RUNS'] === undefined) rmSync(desk.folder, { recursive: true, force: true });
  else process.stderr.write(`${experiment} on ${subject.name}: ${desk.folder}\n`);
  return {
    code: ran.code,
    printed: `${ran.stdout}${ran.stderr}`,
    entries,
    verdict: entries.find((entry) => entry.kind === 'verdict'),
    findings: entries.flatMap((entry) => (entry.kind === 'finding' ? [entry.name] : [])),
    alerts: entries.filter((entry) => entry.kind === 'alert'),
  };
}
