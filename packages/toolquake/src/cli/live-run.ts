/** A run of an experiment while it goes on: lines as things happen, and between them one line of figures. */
import type { RunEntry } from '../core/run-entry.js';
import { createRunTimeline } from '../reporters/run/run-timeline.js';
import type { CommandIo } from './command.js';
import { coloursFor } from './terminal.js';

/** What is shown until it is closed. */
export type LiveRun = { entry(entry: RunEntry): void; close(): void };

/** On a terminal the figures are a line that is written over and over; in a log they come so rarely that nobody is flooded. */
const TERMINAL_MS = 500;
const LOG_MS = 30_000;
const DEFAULT_WIDTH = 110;

/** `nowMs` counts from the start of the run. */
export function startLiveRun({
  stream,
  env,
  nowMs,
}: {
  readonly stream: CommandIo['stdout'];
  readonly env: CommandIo['env'];
  readonly nowMs: () => number;
}): LiveRun {
  const isTerminal = stream.isTTY === true && (env['CI'] ?? '') === '' && env['TERM'] !== 'dumb';
  // A terminal that does not know how wide it is says 0.
  const widthNow = (): number => (stream.isTTY === true && stream.columns > 0 ? stream.columns : DEFAULT_WIDTH);
  const timeline = createRunTimeline({ width: widthNow(), colours: coloursFor(stream, env) });
  let isShown = false;
  const wipe = (): void => {
    if (isShown) stream.write('\r\u001b[K');
    isShown = false;
  };
  const show = (): void => {
    // The last column stays free: a terminal that wraps there could not be wiped, also where it was made narrower meanwhile.
    const text = timeline.progress(nowMs()).slice(0, Math.max(1, widthNow() - 1));
    stream.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
    isShown = isTerminal;
  };
  const repeat = setInterval(show, isTerminal ? TERMINAL_MS : LOG_MS);
  repeat.unref();
  return {
    entry(entry) {
      const lines = timeline.entry(entry);
      if (lines.length === 0) return;
      wipe();
      stream.write(lines.map((line) => `${line}\n`).join(''));
    },
    close() {
      clearInterval(repeat);
      wipe();
    },
  };
}
