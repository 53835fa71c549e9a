/** `toolquake probe`: reports as they come, a live table on terminals, and the exit code. */
import { parseDuration, ToolquakeError } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import type { ProbeReport } from '../core/probe-report.js';
import { probeRounds } from '../operations/probe-rounds.js';
import { openResult } from '../operations/result-file.js';
import { probeRows, renderProbe, type ProbePaint } from '../reporters/probe.js';
import { EXIT, numberOf, textOf, type CommandArguments, type CommandIo } from './command.js';
import { targetsOf } from './targets.js';
import { coloursFor, renderTable } from './terminal.js';

/** Probes what the command line names. */
export async function probe(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options } = args;
  const targets = (await targetsOf(args)).map((one) => withTools(one, textOf(options['expectTools'])));
  const isWatching = options['watch'] === true;
  const count = numberOf(options['count']) ?? (isWatching ? undefined : 1);
  const intervalMs = durationOf('--interval', textOf(options['interval']) ?? (isWatching ? '60s' : '1s'));
  const isJson = options['json'] === true;
  const out = textOf(options['out']);
  const result = openResult(out, io.stdout);
  const isLive = !isJson && out === undefined && targets.length > 1 && io.stdout.isTTY === true && (io.env['CI'] ?? '') === '';
  const paint = paintOf(out === undefined ? io : undefined);
  const width = io.stdout.columns ?? 100;
  let shown: (ProbeReport | { target: string; waits: true })[] = targets.map(({ target }) => ({ target: target.name, waits: true }));
  let drawn = 0;
  let written = '';
  const table = (): string => renderTable(probeRows(shown, paint), { width });
  const draw = (): void => {
    const text = table();
    io.stdout.write(`${drawn > 0 ? `\u001b[${drawn}A\u001b[J` : ''}${text}`);
    drawn = text.split('\n').length - 1;
  };
  const write = (text: string): void => {
    // A file gets everything at once; a terminal or pipe each report as it comes.
    if (out === undefined) result.write(text);
    else written += text;
  };
  if (isLive) draw();
  const reports: ProbeReport[] = [];
  const controlUrl = textOf(options['control']);
  let interrupted = false;
  try {
    await probeRounds(targets, {
      world: { clock: realClock, wallClockMs: Date.now, env: io.env, signal: io.signal, controlUrl },
      count,
      intervalMs,
      concurrency: numberOf(options['concurrency']) ?? 8,
      onReport(report, index, round) {
        reports.push(report);
        if (reports.length > MAX_KEPT) reports.shift();
        shown = shown.map((one, at) => (at === index ? report : one));
        if (isLive) draw();
        else if (isJson) write(`${JSON.stringify({ round, ...report })}\n`);
        else if (targets.length === 1) write(renderProbe(report, paint));
      },
      onRoundEnd() {
        if (!isJson && !isLive && targets.length > 1) write(table());
      },
    });
  } catch (error) {
    if (!io.signal.aborted) throw error;
    interrupted = true;
  }
  if (out !== undefined) result.write(written);
  // Somebody who watches ends it by Ctrl-C: that is no failure of anybody.
  if (interrupted) return EXIT.interrupted;
  return exitCodeOf(reports);
}

/** Enough for the verdict of any sensible count. */
const MAX_KEPT = 100_000;

function exitCodeOf(reports: readonly ProbeReport[]): number {
  if (reports.some(({ state }) => state === 'down' || state === 'walled' || state === 'degraded')) return EXIT.failed;
  return reports.some(({ state }) => state === 'unknown') ? EXIT.environment : EXIT.pass;
}

function withTools(one: Awaited<ReturnType<typeof targetsOf>>[number], given: string | undefined): typeof one {
  if (given === undefined) return one;
  const tools = given.split(/[;,]/).map((word) => word.trim());
  return { ...one, plan: { ...one.plan, tools: [...one.plan.tools, ...tools.filter((word) => word !== '')] } };
}

function durationOf(flag: string, given: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined && ms > 0) return ms;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${flag} must be a time, not "${given}".`,
    advice: 'Times look like "500ms", "10s" or "1m".',
  });
}

function paintOf(io: CommandIo | undefined): ProbePaint {
  const colours = coloursFor(io?.stdout ?? {}, io?.env ?? { NO_COLOR: '1' });
  return { good: colours.green, bad: colours.red, warn: colours.yellow, dim: colours.dim, strong: colours.bold };
}
