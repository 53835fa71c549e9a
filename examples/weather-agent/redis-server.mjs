// A real Redis on a free port, for as long as the example runs. It keeps nothing on disk.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts it and waits until it says that it is ready. Its absence is not our failure: that is exit code 3. */
export async function startRedis() {
  const port = await freePort();
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'];
  // On Debian daemons live in sbin, which is not on every user's PATH.
  const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` };
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const ended = once(child, 'exit').catch((error) => error);
  const lines = createInterface({ input: child.stdout });
  const ready = (async () => {
    for await (const line of lines) if (line.includes('Ready to accept connections')) return true;
    return false;
  })();
  if (!(await Promise.race([ready, ended.then(() => false)]))) {
    console.error('This example needs a real Redis, and redis-server did not start. Run: sudo apt-get install -y redis-server');
    process.exit(3);
  }
  child.stdout.resume();
  // Whatever happens to us, it does not stay behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.removeListener('exit', kill);
    },
  };
}
