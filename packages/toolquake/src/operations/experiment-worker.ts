/** The worker program of experiments: one role per process. Reads its role, says that it is ready, waits for "go", ends with its stdin. */
import { createInterface } from 'node:readline';
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { hostMs } from '../workers/host-clock.js';
import * as roles from '../workers/roles/index.js';
import { front } from './front-role.js';
import type { WorkerRole } from '../workers/worker.js';

const lifeline = new AbortController();
const lines = createInterface({ input: process.stdin });
// Nobody reads us any more: the run is gone.
process.stdout.on('error', () => lifeline.abort());
const emit = (message: JsonObject): void => {
  if (!process.stdout.destroyed) process.stdout.write(`${JSON.stringify(message)}\n`);
};
// Ctrl-C reaches the whole group of the terminal; the run decides when its workers end.
process.on('SIGINT', () => {});

const started = new Promise<JsonObject>((resolve) => {
  let order: JsonObject | undefined;
  lines.on('line', (line) => {
    if (order === undefined) {
      const value: unknown = JSON.parse(line);
      order = isObject(value) ? value : {};
      emit({ kind: 'ready' });
    } else if (line === 'go') resolve(order);
  });
});
let exitCode = 0;
/** A role that does not let go is no reason to stay, unless it still ends servers that do not listen. */
const TIDY_MS = 4000;
const leave = (): void => {
  lifeline.abort();
  setTimeout(() => process.exit(exitCode), TIDY_MS).unref();
};
lines.on('close', leave);
// The undo of an action, or a stranger: what we started (servers over stdio, relays elsewhere) is ended with us, not left behind.
process.on('SIGTERM', () => {
  exitCode = 143;
  leave();
});

const order = await Promise.race([
  started,
  new Promise<undefined>((resolve) => lifeline.signal.addEventListener('abort', () => resolve(undefined))),
]);
if (order !== undefined) {
  const role = [...Object.values<WorkerRole>(roles), front].find((one) => one.role === order['role']);
  const config = isObject(order['config']) ? order['config'] : {};
  if (role === undefined) throw new Error(`There is no role "${String(order['role'])}".`);
  await role.run(config, { env: process.env, signal: lifeline.signal, emit, hostMs });
}
process.exit(exitCode);
