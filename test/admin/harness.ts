/** A real HTTP proxy with open admin routes in front of a real server, and ways to ask them. */
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { binPath, createDesk, type Run } from '../cli/harness.js';
import { call, messagesOf, post, textOf } from '../http/harness.js';
import { startBank } from '../servers/http-bank.mjs';
import { start } from '../stdio/harness.js';

export const TOKEN = 's3cret';

export type Admin = (
  method: string,
  path: string,
  body?: unknown,
  token?: string,
) => Promise<{ status: number; body: Record<string, unknown> }>;

/** Asks the routes at a URL; what is no text is sent as JSON. */
export const adminAt =
  (url: string): Admin =>
  async (method, path, body, token = TOKEN) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(text === undefined ? {} : { body: text }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

/** Ends with the test, or earlier by `stop`. `toolquake` runs a command against the routes. */
export async function httpProxy({
  env = {},
  argv = [],
  files = {},
}: { env?: NodeJS.ProcessEnv; argv?: string[]; files?: Record<string, string> } = {}) {
  const bank = await startBank();
  const desk = createDesk(files);
  const words = ['proxy', 'http', '--upstream', bank.url, '--port', '0', '--admin-port', '0', '--json', ...argv];
  const proxy = start([process.execPath, binPath, ...words], { TOOLQUAKE_ADMIN_TOKEN: TOKEN, ...env });
  const stop = async (): Promise<void> => {
    proxy.child.kill('SIGTERM');
    await proxy.exited;
  };
  onTestFinished(async () => {
    await stop();
    await bank.stop();
  });
  const [line] = (await once(proxy.child.stdout!, 'data')) as [Buffer];
  const { url, adminUrl } = JSON.parse(line.toString()) as { url: string; adminUrl: string };
  return {
    bank,
    desk,
    url,
    adminUrl,
    stop,
    stderr: proxy.stderr,
    admin: adminAt(adminUrl),
    say: async () => textOf(messagesOf((await post(url, call(1, 'echo', { text: 'hi' }))).body)[0]),
    statusOf: async (tool: string): Promise<number> => (await post(url, call(1, tool, { text: 'hi' }))).status,
    toolquake: (...given: string[]): Promise<Run> => desk.run([...given, '--url', adminUrl], { TOOLQUAKE_ADMIN_TOKEN: TOKEN }),
  };
}
