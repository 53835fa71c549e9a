/** A real dependency on a free port in a folder of its own, and its real client, direct or through `toolquake proxy tcp`. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { binPath } from '../cli/harness.js';
import { deadPort } from '../tcp/harness.js';

/** What came of a command. */
export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string; readonly tookMs: number };

type Account = { readonly uid?: number; readonly gid?: number };

/** Runs a command to its end. */
export function run([file = '', ...args]: readonly string[], options: { input?: string; env?: NodeJS.ProcessEnv; as?: Account } = {}): Promise<Ran> {
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    const settings = { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, ...options.env }, timeout: 60_000, ...options.as } as const;
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

export { deadPort as freePort };

/** Puts the proxy in front of a port for as long as the work takes; what the work says, and the summary of the proxy. */
export async function behindProxy<Result>(
  upstream: number,
  rules: readonly object[],
  work: (port: number) => Promise<Result>,
): Promise<{ readonly result: Result; readonly said: string }> {
  const folder = folderFor({});
  const plan = join(folder.path, 'plan.json');
  writeFileSync(plan, JSON.stringify({ version: 1, seed: 1, rules }));
  const argv = [binPath, 'proxy', 'tcp', '--upstream', `127.0.0.1:${upstream}`, '--port', '0', '--json', '--plan', plan];
  const env = { ...process.env, NODE_ENV: 'development', ENVIRONMENT: 'development' };
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const gone = once(child, 'close');
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { port } = JSON.parse(line.toString()) as { port: number };
    const result = await work(port);
    child.kill('SIGTERM');
    await gone;
    return { result, said };
  } finally {
    child.kill('SIGKILL');
    folder.remove();
  }
}
