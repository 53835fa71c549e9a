/** A real PostgreSQL of its own for each test file. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { accountOf, folderFor, run, startServer, type Ran } from '../dependency.js';
import { listeningPort } from '../listening-port.js';

/** Debian keeps the programs of each version in a folder of their own. */
const programs = ((versions: string): string => join(versions, readdirSync(versions).toSorted().at(-1)!, 'bin'))('/usr/lib/postgresql');

/** A running server. Everybody on loopback is `tester`, and may do anything. */
export type Postgres = { readonly port: number; stop(): Promise<void> };

/** Starts one, with settings as `postgres -c` takes them, and waits until it answers. */
export async function startPostgres(settings: Readonly<Record<string, string | number>> = {}): Promise<Postgres> {
  // PostgreSQL refuses to run as root.
  const as = await accountOf('postgres');
  const folder = folderFor(as);
  const data = join(folder.path, 'data');
  const port = await listeningPort();
  expect(await run([join(programs, 'initdb'), '-D', data, '-U', 'tester', '-A', 'trust', '--no-sync'], { as })).toMatchObject({ code: 0 });
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(programs, 'postgres'), '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder.path, '-F', ...given];
  const stopServer = await startServer(command, port, as);
  // It listens a little before it answers.
  await vi.waitFor(async () => expect((await ask(port, 'SELECT 1')).code).toBe(0), { timeout: 30_000 });
  return {
    port,
    async stop() {
      await stopServer();
      folder.remove();
    },
  };
}

/** Asks with PostgreSQL's own client. */
export const ask = (port: number, sql: string, patienceSeconds = 10): Promise<Ran> =>
  run(
    ['timeout', String(patienceSeconds), 'psql', '-h', '127.0.0.1', '-p', String(port), '-U', 'tester', '-X', '-A', '-t', '-d', 'postgres'],
    {
      input: sql,
      env: { PGCONNECT_TIMEOUT: String(patienceSeconds), PGSSLMODE: 'disable', PGGSSENCMODE: 'disable' },
    },
  );
