/** The built `toolquake proxy tcp` in front of a port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { binPath, createDesk } from '../cli/harness.js';

/** Puts the proxy in front of a port for as long as the work takes; what the work says, and the summary of the proxy. */
export async function behindProxy<Result>(
  upstream: number,
  rules: readonly object[],
  work: (port: number) => Promise<Result>,
): Promise<{ readonly result: Result; readonly said: string }> {
  const desk = createDesk({ 'plan.json': JSON.stringify({ version: 1, seed: 1, rules }) });
  const plan = join(desk.folder, 'plan.json');
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
    rmSync(desk.folder, { recursive: true });
  }
}
