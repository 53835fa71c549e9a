// Starts server.mjs with and without its variables, as a deployment would, and looks at it from outside: slower, then
// failing, then with an access token that is no longer good. Run: node examples/env-server/main.mjs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const server = fileURLToPath(new URL('server.mjs', import.meta.url));
const TOKEN = 'only-for-this-example';

/** Starts the server with these variables, and hands its address to the work. */
async function withServer(env, work) {
  const child = spawn(process.execPath, [server], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const ended = once(child, 'exit');
  try {
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    const client = new Client({ name: 'agent', version: '1.0.0' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: 'Bearer t' } } }),
    );
    await work({ url, ask: () => client.callTool({ name: 'forecast', arguments: { city: 'Bonn' } }) });
    await client.close();
  } finally {
    child.kill('SIGTERM');
  }
  // Timers and connections of ours keep no server alive.
  assert.deepEqual(await ended, [0, null]);
}

const timed = async (work) => {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
};

await withServer({ CHAOS_DELAY_MS: '400', CHAOS_ERROR_RATE: '1' }, async ({ url, ask }) => {
  assert.deepEqual((await ask()).content, [{ type: 'text', text: 'sunny in Bonn' }]);
  assert.equal((await fetch(`${url}/chaos/status`)).status, 404);
  console.log('without CHAOS_ENABLED:  nothing is slower, nothing fails, and there are no admin routes');
});

await withServer({ CHAOS_ENABLED: 'true', CHAOS_DELAY_MS: '400' }, async ({ ask }) => {
  const ms = await timed(ask);
  assert.ok(ms >= 400, `took ${ms} ms`);
  console.log('CHAOS_DELAY_MS=400:     every call takes at least 400 ms');
});

await withServer({ CHAOS_ENABLED: 'true', CHAOS_ERROR_RATE: '0.5' }, async ({ ask }) => {
  let failed = 0;
  for (let n = 0; n < 40; n++) if ((await ask().catch(() => ({ isError: true }))).isError === true) failed++;
  assert.ok(failed > 8 && failed < 32, `${failed} of 40 failed`);
  console.log(`CHAOS_ERROR_RATE=0.5:   ${failed} of 40 calls failed, the same ones in every run`);
});

await withServer({ CHAOS_ENABLED: 'true', CHAOS_ADMIN_TOKEN: TOKEN }, async ({ url, ask }) => {
  const admin = (path, body) =>
    fetch(`${url}/chaos/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await ask();
  const { faultId } = await (await admin('inject', { target: 'oauth-token', fault: 'unauthorized' })).json();
  const refused = await fetch(`${url}/health`, { headers: { authorization: 'Bearer t' } });
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get('www-authenticate'), /^Bearer error="invalid_token".*resource_metadata="https:\/\/weather\.example/);
  await assert.rejects(ask());
  assert.equal((await admin('clear', { faultId })).status, 200);
  await ask();
  const scope = await admin('inject', { target: 'oauth-token', fault: 'insufficient-scope', params: { scope: 'weather:read' } });
  assert.equal(scope.status, 200);
  const narrow = await fetch(`${url}/health`, { headers: { authorization: 'Bearer t' } });
  assert.equal(narrow.status, 403);
  assert.match(narrow.headers.get('www-authenticate'), /error="insufficient_scope".*scope="weather:read"/);
  console.log('while it runs:          401, then 403 with the scope that is missing, then well again');
});
