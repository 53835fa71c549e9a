// Child processes that cannot outlive us: each is its own process group, killed whole when its budget ends or when we do.
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { wantsColour } from './terminal.mjs';

const running = new Set();

function killGroup(child) {
  try {
    // The negative id is the group: a test runner's workers and their servers go with it.
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
]) {
  process.once(signal, () => {
    for (const child of running) killGroup(child);
    process.exit(128 + number);
  });
}

/** Some tools colour their output even into a pipe, others never there; all are told what we decided. */
function colourFor(show) {
  if (!wantsColour()) return { NO_COLOR: '1', FORCE_COLOR: undefined };
  return show ? {} : { FORCE_COLOR: '1' };
}

/**
 * Runs an argv array (never a shell) to its end.
 * `show` passes its output straight to the terminal; otherwise it is collected and returned.
 */
export function run(argv, { cwd, env, budgetMs, show = false } = {}) {
  const [command, ...args] = argv;
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...colourFor(show), ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      detached: process.platform !== 'win32',
    });
    running.add(child);
    let output = '';
    let isOverBudget = false;
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
    const timer =
      budgetMs === undefined
        ? undefined
        : setTimeout(() => {
            isOverBudget = true;
            killGroup(child);
          }, budgetMs);
    const finish = (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code, output, isOverBudget, ms: performance.now() - started });
    };
    child.once('error', (error) => {
      output += `${command}: ${error.message}\n`;
      finish(127);
    });
    // A killed child has no exit code; that is a failure, never a 0.
    child.once('close', (code, signal) => {
      if (signal !== null && !isOverBudget) output += `${command} was ended by ${signal}\n`;
      finish(code ?? 1);
    });
  });
}
