/** The entry of the command line: the only file that touches the process itself. */
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { ToolquakeError } from '@toolquake/sdk/core';
import { EXIT, type CommandIo } from './command.js';
import * as commands from './commands/index.js';
import { describeFailure } from './failure.js';
import { runProgram } from './program.js';
import { coloursFor } from './terminal.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let interruption: AbortController | undefined;

const io: CommandIo = {
  // Reading it opens the stream and keeps the process alive, so only when a command asks.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  // Made on first use: a command that never looks at it is ended by Ctrl-C at once, even in the middle of a long computation.
  get signal() {
    interruption ??= listenForInterruption();
    return interruption.signal;
  },
};

function listenForInterruption(): AbortController {
  const controller = new AbortController();
  for (const name of SIGNALS) {
    process.on(name, () => {
      // The second time, the user means it.
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort(new DOMException(`Interrupted by ${name}.`, 'AbortError'));
    });
  }
  return controller;
}

/** A reader that goes away early (`| head`) is no failure. A result that is lost (a full disk) is. */
function failWhenResultIsLost(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return;
  throw new ToolquakeError('NOT_WRITABLE', {
    message: `The result cannot be written to stdout: ${error.message}.`,
    advice: 'Make room where stdout goes to, or send it somewhere else.',
    cause: error,
  });
}

/** Resolves when everything written so far has left us; also when nobody reads any more. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}

function tell(error: unknown): number {
  const { message, advice, exitCode } = describeFailure(
    error,
    process.env['TOOLQUAKE_DEBUG'] !== undefined && process.env['TOOLQUAKE_DEBUG'] !== '',
  );
  const colours = coloursFor(process.stderr, process.argv.includes('--no-color') ? { NO_COLOR: '1' } : process.env);
  process.stderr.write(`${colours.red('error')} ${message}\n${advice === undefined ? '' : `${advice}\n`}`);
  return exitCode;
}

async function main(): Promise<number> {
  try {
    return await runProgram(process.argv.slice(2), {
      commands: Object.values(commands),
      io,
      version: () => (createRequire(import.meta.url)('toolquake/package.json') as { version: string }).version,
    });
  } catch (error) {
    if (
      interruption?.signal.aborted === true &&
      (error === interruption.signal.reason || (error as Error | undefined)?.name === 'AbortError')
    ) {
      return EXIT.interrupted;
    }
    return tell(error);
  }
}

process.stdout.on('error', failWhenResultIsLost);
// Nobody can be told, and a log that is full must not end the traffic of a proxy.
process.stderr.on('error', () => {});
process.on('uncaughtException', (error) => process.exit(tell(error)));
const exitCode = await main();
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
// A write that failed says so a moment later.
await setImmediate();
// Explicitly: a handle that a command forgot must not keep the terminal waiting.
process.exit(exitCode);
