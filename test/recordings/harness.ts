/** Starts recorders and replays as users do: the built command line, as processes of their own. */
import { createRequire } from 'node:module';
import { afterEach } from 'vitest';
import { binPath } from '../cli/harness.js';
import { start, type Started } from '../stdio/harness.js';

const everythingPath = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** The official demo server; `how` is its transport. */
export const everything = (how: 'stdio' | 'streamableHttp' | 'sse'): string[] => [process.execPath, everythingPath, how];

/** The command that records a stdio server. */
export const recording = (out: string, server: readonly string[]): string[] => [
  process.execPath,
  binPath,
  'record',
  '--out',
  out,
  '--',
  ...server,
];

/** The command that replays. */
export const replaying = (...words: string[]): string[] => [process.execPath, binPath, 'replay', ...words];

const running: Started[] = [];
afterEach(async () => {
  for (const { child, exited } of running.splice(0)) {
    child.kill('SIGKILL');
    await exited;
  }
});

/** A command that listens. `stop` ends it in good order and resolves to its exit code. */
export type Listening = { readonly url: string; readonly stderr: () => string; stop(): Promise<number | null> };

/** Starts `toolquake` with these words and `--json`, and waits until it listens. */
export async function listening(...words: string[]): Promise<Listening> {
  const started = start([process.execPath, binPath, ...words, '--json']);
  running.push(started);
  let told = '';
  started.child.stderr?.on('data', (text: Buffer) => (told += String(text)));
  const line = (await started.client.line((value) => (value as { kind?: string }).kind === 'listening')) as unknown as { url: string };
  return {
    url: line.url,
    stderr: () => told,
    async stop() {
      started.child.kill('SIGTERM');
      return (await started.exited).code;
    },
  };
}

/** Starts server-everything over HTTP on a free port and waits until it listens. */
export async function everythingOverHttp(how: 'streamableHttp' | 'sse'): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const started = start(everything(how), { PORT: String(port) });
  running.push(started);
  await started.stderr.line((_, text) => /listening|running/i.test(text));
  return {
    url: `http://127.0.0.1:${port}/${how === 'sse' ? 'sse' : 'mcp'}`,
    async stop() {
      started.child.kill('SIGKILL');
      await started.exited;
    },
  };
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
