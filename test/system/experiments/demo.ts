/** Demo servers of a test file: one PostgreSQL for all, and for each server a database and a wire of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { createDemoDatabase } from '../../servers/demo/database.mjs';
import { listeningPort } from '../listening-port.js';
import { startPostgres, type Postgres } from '../postgres/start-postgres.js';
import { openRelay, type Relay } from './relay.js';

/** The program. */
export const DEMO: string = fileURLToPath(new URL('../../servers/demo/server.mjs', import.meta.url));

/** Opens its admin routes. */
export const ADMIN_TOKEN = 'demo-admin-token';

/** A database for a server that is about to start, reached over a wire that can be cut. */
export type DemoWorld = {
  readonly port: number;
  readonly url: string;
  readonly healthUrl: string;
  readonly relay: Relay;
  readonly env: Readonly<Record<string, string>>;
};

/** One PostgreSQL. */
export async function startDemoPostgres(): Promise<Postgres> {
  return startPostgres({ max_connections: 400, shared_buffers: '16MB' });
}

let worlds = 0;

/** Everything that a server needs, except the server. */
export async function prepareDemo(postgres: Postgres, settings: Readonly<Record<string, string>> = {}): Promise<DemoWorld> {
  worlds += 1;
  const name = `demo_${worlds}`;
  await createDemoDatabase({ port: postgres.port, user: 'tester', name });
  const relay = await openRelay(postgres.port);
  const port = await listeningPort();
  const env = {
    PORT: String(port),
    DATABASE_URL: `postgres://tester@127.0.0.1:${relay.port}/${name}`,
    CHAOS_ENABLED: 'true',
    CHAOS_ADMIN_TOKEN: ADMIN_TOKEN,
    ...settings,
  };
  return { port, url: `http://127.0.0.1:${port}/mcp`, healthUrl: `http://127.0.0.1:${port}/health`, relay, env };
}

/** A running server, and how to kill it and start it again. */
export type DemoServer = DemoWorld & { kill(): Promise<void>; start(): Promise<void>; stop(): Promise<void> };

/** Starts one without a process manager, and waits until it is healthy. */
export async function startDemo(world: DemoWorld): Promise<DemoServer> {
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, [DEMO], { env: { ...process.env, ...world.env }, stdio: ['ignore', 'ignore', 'inherit'] });
    await isHealthy(world);
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    ...world,
    start,
    kill,
    async stop() {
      await kill();
      await world.relay.close();
    },
  };
}

/** Waits for it. */
export const isHealthy = ({ healthUrl }: Pick<DemoWorld, 'healthUrl'>): Promise<void> =>
  vi.waitFor(async () => expect((await fetch(healthUrl)).status).toBe(200), { timeout: 20_000, interval: 50 });
