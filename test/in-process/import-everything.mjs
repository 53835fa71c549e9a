// Imports every entry of the sdk, and prints what that changed or asked for. Nothing is expected.
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('../../packages/sdk/package.json', import.meta.url), 'utf8'));
// The entry for tests of faults brings vitest, which only its own runner can load.
const entries = Object.keys(exports).filter((entry) => entry !== './testing' && !entry.endsWith('.json'));

const seen = [];
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const plain = Object.fromEntries(TIMERS.map((name) => [name, globalThis[name]]));
const plainEnv = process.env;
const snapshot = () =>
  JSON.stringify({
    globals: Reflect.ownKeys(globalThis).map(String),
    onPrototypes: [Object, Array, Promise, Response, Request, Headers].map((one) => Reflect.ownKeys(one.prototype).length),
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    resources: process.getActiveResourcesInfo(),
    fetch: globalThis.fetch === plainFetch,
    exitCode: process.exitCode,
  });
const plainFetch = globalThis.fetch;
// Loads what import itself needs, before anything is compared.
await import('../../packages/sdk/package.json', { with: { type: 'json' } });

// Twice, because looking at Response is what makes Node load it.
snapshot();
const before = snapshot();
for (const name of TIMERS) {
  globalThis[name] = (...given) => {
    // The loader has timers of its own.
    if (new Error().stack.includes('/packages/sdk/dist/')) seen.push(`${name} was called`);
    return plain[name](...given);
  };
}
process.env = new Proxy(plainEnv, {
  get: (env, name) => {
    if (new Error().stack.includes('/packages/sdk/dist/')) seen.push(`read ${String(name)}`);
    return env[name];
  },
});
for (const entry of entries) await import(`@toolquake/sdk${entry.slice(1)}`);
for (const name of TIMERS) globalThis[name] = plain[name];
process.env = plainEnv;
const after = snapshot();
if (after !== before) seen.push(`${before} became ${after}`);
process.stdout.write(JSON.stringify({ entries: entries.length, seen }));
