/** The warden: a detached process that undoes what a run left behind. Started by its file name. */
import { watchRun } from '../undo/warden-watch.js';

// Ctrl-C and a closed terminal end the run, not the one who cleans up after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});
// Nobody listens any more: that is what we are here for.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  await watchRun({
    env: process.env,
    input: process.stdin,
    reply: (word) => void process.stdout.write(`${word}\n`),
    log: (line) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`),
  });
  process.exit(0);
} catch (error) {
  process.stderr.write(`${new Date().toISOString()} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
