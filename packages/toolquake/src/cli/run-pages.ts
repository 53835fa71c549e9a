/** `toolquake runs`, `runs show`, `runs acknowledge`, and what `report` says of the journal of an experiment. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { forgetMissedAlert, missedAlerts } from '../operations/missed-alerts.js';
import { openResult } from '../operations/result-file.js';
import { digestRunJournal } from '../operations/run-journal.js';
import { acknowledgeRun, listRuns, readRun, runsFolder } from '../operations/run-store.js';
import { PLAIN } from '../reporters/figures.js';
import type { ReportFormat } from '../reporters/report.js';
import { blockingFindings, renderRunList, runListJson } from '../reporters/run-list.js';
import { renderRun } from '../reporters/run-report.js';
import { provenEndOf, type RunEnd } from '../reporters/run/run-story.js';
import { findLeftovers } from '../undo/leftovers.js';
import { EXIT, textOf, wordOf, type CommandArguments, type CommandIo } from './command.js';
import { exitOfRun } from './run-exit.js';
import { coloursFor, withProgress } from './terminal.js';

/** Every run of this folder. */
export async function listAndTell({ options }: CommandArguments, io: CommandIo): Promise<number> {
  const living = livingRuns(io.env);
  const runs = (await listRuns(process.cwd())).map((run) => ({ ...run, isLiving: living.has(run.runId) }));
  io.stdout.write(options['json'] === true ? runListJson(runs) : renderRunList(runs, coloursFor(io.stdout, io.env)));
  return EXIT.pass;
}

/** Where the state folder cannot be read, none is known to live. */
function livingRuns(env: CommandIo['env']): ReadonlySet<string> {
  try {
    return new Set(findLeftovers(env).flatMap(({ runId, state }) => (state === 'running' ? [runId] : [])));
  } catch {
    return new Set();
  }
}

/** One run, whole. Showing it is no judgement: the exit code says only whether it could be shown. */
export async function showAndTell({ options, words }: CommandArguments, io: CommandIo): Promise<number> {
  const format =
    options['json'] === true ? 'json' : wordOf('--format', String(options['format']), ['console', 'markdown', 'json', 'junit', 'html']);
  const out = textOf(options['out']);
  const { journal, summary } = await readRun(process.cwd(), words[0] ?? 'last');
  refuseOverwriting(journal, [out]);
  await render(journal, { subject: summary.runId, places: [{ format, path: out }] }, io);
  return EXIT.pass;
}

/** A person takes a run's P1 findings on. */
export async function acknowledgeAndTell({ options, words }: CommandArguments, io: CommandIo): Promise<number> {
  const id = words[0] ?? '';
  const elsewhere = missedAlerts(io.env).find(({ runId }) => runId === id);
  const root = elsewhere?.root ?? process.cwd();
  if (elsewhere !== undefined && !existsSync(join(runsFolder(root), id))) {
    forgetMissedAlert(io.env, id);
    io.stdout.write(`${id} is gone from ${root}, and blocks "${elsewhere.target}" no more. Why is kept nowhere.\n`);
    return EXIT.pass;
  }
  const { summary } = await readRun(root, id);
  const found = blockingFindings(summary);
  if (found.length === 0) {
    io.stdout.write(`${summary.runId} has no P1 finding: there is nothing to acknowledge.\n`);
    return EXIT.pass;
  }
  const acknowledged = await acknowledgeRun(root, summary.runId, userName(io.env), textOf(options['why']) ?? '', new Date());
  forgetMissedAlert(io.env, summary.runId);
  io.stdout.write(
    `${summary.runId}: ${found.join(', ')} acknowledged by ${acknowledged.acknowledged?.who ?? 'nobody'}. It blocks no further run.\n`,
  );
  return EXIT.pass;
}

/** What `report` does with the journal of an experiment; ends as the run did. */
export async function reportRun(
  journal: string,
  {
    format,
    out,
    html,
    subject,
  }: { readonly format: ReportFormat; readonly out: string | undefined; readonly html: string | undefined; readonly subject: string },
  io: CommandIo,
): Promise<number> {
  refuseOverwriting(journal, [out, html]);
  const page = html === undefined ? [] : [{ format: 'html' as const, path: html }];
  return exitOfRun(await render(journal, { subject, places: [...page, { format, path: out }] }, io));
}

type Place = { readonly format: ReportFormat; readonly path: string | undefined };

/** Reads the journal once; all places are looked at before any is written. */
async function render(
  journal: string,
  { subject, places }: { readonly subject: string; readonly places: readonly Place[] },
  io: CommandIo,
): Promise<RunEnd> {
  const results = places.map(({ path }) => openResult(path, io.stdout));
  const digest = await withProgress(io, 'reading', (onProgress) => digestRunJournal(journal, io.signal, onProgress));
  for (const [index, { format, path }] of places.entries()) {
    const paint = path === undefined ? coloursFor(io.stdout, io.env) : PLAIN;
    results[index]?.write(renderRun(digest, format, { subject, paint }));
  }
  return provenEndOf(digest);
}

/** Whoever is logged in; a CI says who it is by a variable. */
function userName(env: CommandIo['env']): string {
  const named = [env['TOOLQUAKE_USER'], env['GITHUB_ACTOR'], env['SUDO_USER'], env['USER'], env['LOGNAME']].find(
    (name) => name !== undefined && name.trim() !== '',
  );
  if (named !== undefined) return named;
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** A report in the place of its own journal would be the last one. */
function refuseOverwriting(journal: string, outputs: readonly (string | undefined)[]): void {
  const places = outputs.flatMap((path) => (path === undefined ? [] : [path]));
  const taken = places.find((path, index) => resolve(path) === resolve(journal) || places.indexOf(path) !== index);
  if (taken === undefined) return;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${taken} is named twice: a report may overwrite neither its journal nor another report.`,
    advice: 'Name another file.',
  });
}
