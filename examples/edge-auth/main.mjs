// Bundles app.mjs for a runtime that is not Node, and runs the bundle where there is nothing but the web platform: no
// process, no Buffer, no require. Then its checks are made to fail. Run: node examples/edge-auth/main.mjs
import assert from 'node:assert/strict';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { rolldown } from 'rolldown';

const bundle = await rolldown({ input: fileURLToPath(new URL('app.mjs', import.meta.url)), platform: 'browser' });
const { output } = await bundle.generate({ format: 'iife', name: 'edge' });
await bundle.close();
const [{ code, imports, moduleIds }] = output;
assert.equal(output.length, 1);
assert.deepEqual(imports, [], 'everything is in the bundle');
assert.deepEqual(
  moduleIds.filter((id) => id.startsWith('node:') || builtinModules.includes(id)),
  [],
);
const own = moduleIds.filter((id) => id.includes('/packages/sdk/')).length;
assert.ok(own > 0);
console.log(`bundled: ${moduleIds.length} modules (${own} of them ours), no built-in of Node among them`);

// What an edge worker has. Intrinsics such as Promise and Uint8Array come with the context.
const names = ['Request', 'Response', 'Headers', 'URL', 'URLSearchParams', 'ReadableStream', 'TransformStream', 'WritableStream'];
names.push('TextEncoder', 'TextDecoder', 'AbortController', 'AbortSignal', 'DOMException', 'FormData', 'Blob', 'File', 'fetch', 'crypto');
names.push('Event', 'EventTarget', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask');
names.push('structuredClone', 'atob', 'btoa', 'console');
const worker = vm.createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])));
vm.runInContext(code, worker);
assert.equal(vm.runInContext('typeof process + typeof Buffer + typeof require', worker), 'undefined'.repeat(3));
const { createApp } = vm.runInContext('edge', worker);

const call = (app, tool, headers = { authorization: 'Bearer t' }) =>
  app.request('https://bank.example/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } }),
  });

const plan = {
  version: 1,
  seed: 7,
  rules: [
    { id: 'token', fault: 'unauthorized', when: { target: 'oauth-token', tool: 'balance' }, at: { first: 2 } },
    { id: 'scope', fault: 'insufficient-scope', when: { target: 'oauth-token', tool: 'pay' }, at: { first: 1 }, params: { scope: 'pay' } },
    { id: 'limit', fault: 'rate-limit', when: { target: 'api-key', tool: 'GET /rates' }, params: { retryAfterSeconds: 30 } },
  ],
};

const idle = createApp({}, plan);
assert.equal((await call(idle.app, 'balance')).status, 200);
assert.match(idle.run.guarded, /isAllowed/);
console.log('without CHAOS_ENABLED: the checks let everybody through');

const { app, run, payments } = createApp({ CHAOS_ENABLED: 'true' }, plan);
const refused = await call(app, 'balance');
assert.equal(refused.status, 401);
assert.equal(
  refused.headers.get('www-authenticate'),
  'Bearer error="invalid_token", error_description="The access token is missing or not valid", scope="accounts:read", ' +
    'resource_metadata="https://bank.example/.well-known/oauth-protected-resource"',
);
const blind = await call(app, 'balance', {});
assert.doesNotMatch(blind.headers.get('www-authenticate'), /error=/);
const metadata = await app.request('https://bank.example/.well-known/oauth-protected-resource');
assert.equal(metadata.status, 200);
console.log('401: the challenge leads to the metadata, which stays open');

const narrow = await call(app, 'pay');
assert.equal(narrow.status, 403);
assert.match(narrow.headers.get('www-authenticate'), /error="insufficient_scope".*scope="pay"/);
assert.equal(payments(), 0);
assert.equal((await call(app, 'pay')).status, 200);
assert.equal(payments(), 1);
console.log('403: the payment that was turned away was not made, the next one was');

const limited = await app.request('https://bank.example/rates');
assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '30']);
console.log('429: the second check stands behind the first, for a route that is no MCP');

assert.throws(() => run.use({ fault: 'connection-drop' }), /has none/);
assert.deepEqual([run.fired('token'), run.fired('scope'), run.fired('limit')], [2, 1, 1]);
run.stop();
assert.equal((await app.request('https://bank.example/rates')).status, 200);
console.log('stopped: everything passes again');
