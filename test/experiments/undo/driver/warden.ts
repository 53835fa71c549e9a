/** The warden of the driver: that of the product, with the driver's ways of undoing. */
import { watchRun } from '../../../../packages/toolquake/src/undo/warden-watch.js';
import * as kinds from './kinds.js';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdout.on('error', () => {});
await watchRun({
  env: process.env,
  input: process.stdin,
  reply: (word) => void process.stdout.write(`${word}\n`),
  log: (line) => void process.stderr.write(`${line}\n`),
  kinds,
});
process.exit(0);
