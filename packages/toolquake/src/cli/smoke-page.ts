/** `toolquake smoke`: from the command line to a plan, and from a report to text and an exit code. */
import { ToolquakeError } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { smokeLines } from '../gates/smoke/render/console.js';
import { renderSmokeAnnotations, renderSmokeJson, renderSmokeJunit } from '../gates/smoke/render/machine.js';
import { renderSmokeMarkdown } from '../gates/smoke/render/markdown.js';
import type { SmokeReport } from '../gates/smoke/smoke-report.js';
import { readLockFile, readWaiverFile } from '../operations/manifest-side.js';
import { openResult } from '../operations/result-file.js';
import { smoke as runSmoke } from '../operations/smoke.js';
import { appendStepSummary } from '../operations/step-summary.js';
import { PLAIN, type Paint } from '../reporters/figures.js';
import { EXIT, numberOf, textOf, wordOf, type CommandArguments, type CommandIo } from './command.js';
import { budgetsOf, canariesOf, waitOf } from './smoke-options.js';
import { targetOf } from './targets.js';
import { coloursFor, renderTable, withProgress } from './terminal.js';

/** Runs the smoke test that the command line describes. */
export async function smoke(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options } = args;
  const format =
    options['json'] === true ? 'json' : wordOf('--format', String(options['format']), ['console', 'json', 'junit', 'markdown', 'github']);
  const configured = await targetOf(args);
  const { target, plan, manifest } = configured;
  const isUrl = target.kind === 'url';
  if (!isUrl && options['requireAuth'] === true) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `${target.name} is a server on stdio, which has no credentials to demand.`,
      advice: 'Leave --require-auth out, or name the URL of the server.',
    });
  }
  const [lock, waivers, out] = [textOf(options['lock']) ?? manifest, textOf(options['waivers']), textOf(options['out'])];
  const smokePlan = {
    configured: { ...configured, plan: { ...plan, canaries: [...plan.canaries, ...canariesOf(options)] } },
    lock: lock === undefined ? undefined : readLockFile(lock),
    waivers: waivers === undefined ? [] : readWaiverFile(waivers),
    isStrict: options['strict'] === true,
    hellos: numberOf(options['hellos']) ?? (isUrl ? 5 : 1),
    expectedVersion: textOf(options['expectVersion']),
    requireAuth: options['requireAuth'] === true,
    allowWrites: options['allowWrites'] === true,
    waitMs: waitOf(options, isUrl),
    budgets: budgetsOf(options),
  };
  const result = openResult(out, io.stdout);
  const report = await withProgress(io, `smoke test of ${target.name}`, () =>
    runSmoke(smokePlan, { clock: realClock, wallClockMs: Date.now, env: io.env, signal: io.signal }),
  );
  const paint = out === undefined ? coloursFor(io.stdout, io.env) : PLAIN;
  const width = io.stdout.columns ?? 120;
  result.write(textIn(format, report, paint, width));
  if (format === 'github') appendStepSummary(io.env, renderSmokeMarkdown(report));
  return { passed: EXIT.pass, failed: EXIT.failed, unknown: EXIT.environment, inconclusive: EXIT.inconclusive }[report.verdict];
}

function textIn(format: 'console' | 'json' | 'junit' | 'markdown' | 'github', report: SmokeReport, paint: Paint, width: number): string {
  switch (format) {
    case 'json':
      return renderSmokeJson(report);
    case 'junit':
      return renderSmokeJunit(report);
    case 'markdown':
      return renderSmokeMarkdown(report);
    case 'console':
      return consoleText(report, paint, width);
    case 'github':
      return consoleText(report, PLAIN, width) + renderSmokeAnnotations(report);
  }
}

function consoleText(report: SmokeReport, paint: Paint, width: number): string {
  const { before, rows, after } = smokeLines(report, paint);
  return `${[...before, ''].join('\n')}${renderTable(rows, { width })}${after}\n`;
}
