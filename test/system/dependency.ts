/** A real dependency on a free port in a folder of its own, and its real client. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

/** What came of a command. */
export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string; readonly tookMs: number };

type Account = { readonly uid?: number; readonly gid?: number };

/** Runs a command to its end. */
export function run(
  [file = '', ...args]: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv; as?: Account } = {},
): Promise<Ran> {
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    const settings = {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, ...options.env },
      timeout: 60_000,
      ...options.as,
    } as const;
    const child = execFile(file, args, settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr, tookMs: performance.now() - startedAtMs });
    });
    child.stdin!.on('error', () => {});
    child.stdin!.end(options.input ?? '');
  });
}

/** The account with this name, where we are root and a server refuses to be; otherwise our own. */
export async function accountOf(name: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (what) => Number((await run(['id', what, name])).stdout)));
  return { uid: uid!, gid: gid! };
}

/** A folder for an account. */
export function folderFor(account: Account): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'toolquake-system-'));
  if (account.uid !== undefined && account.gid !== undefined) chownSync(path, account.uid, account.gid);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a server, and waits until somebody listens on the port. */
export async function startServer([file = '', ...args]: readonly string[], port: number, as: Account = {}): Promise<() => Promise<void>> {
  const child = spawn(file, args, { stdio: 'ignore', ...as });
  const gone = once(child, 'exit');
  const stop = async (): Promise<void> => {
    // PostgreSQL waits for its clients on SIGTERM; SIGINT sends them away. Redis takes it for a wish to stop, too.
    child.kill('SIGINT');
    await gone;
  };
  const isUp = async (): Promise<void> => {
    if (!(await accepts(port))) throw new Error(`${file} does not listen on ${port} yet`);
  };
  await vi.waitFor(isUp, { timeout: 30_000, interval: 50 }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return stop;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
