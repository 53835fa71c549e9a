/** Runs of experiments as a list: one line each, the newest last, as people read a terminal from below. */
import { FINDINGS } from '../core/run-entry.js';
import type { RunSummary } from '../core/run-summary.js';
import { printable } from './escape.js';
import { duration, nullsFor, table, type Cell, type Paint } from './figures.js';

/** Findings that block further runs until a person acknowledges them. */
export const blockingFindings = ({ findings }: Pick<RunSummary, 'findings'>): readonly string[] =>
  findings.filter(({ name }) => FINDINGS[name][0] === 'P1').map(({ name }) => name);

/** A run of the list. `isLiving`: it goes on now. */
export type ListedRun = RunSummary & { readonly isLiving: boolean };

/** The list as text. */
export function renderRunList(runs: readonly ListedRun[], paint: Paint): string {
  if (runs.length === 0) return 'There are no runs here yet. "toolquake run FILE" makes one.\n';
  const head = ['run', 'experiment', 'target', 'stage', 'dose', 'verdict', 'started', 'MTTD', 'MTTR', 'findings'];
  const rows = runs.map((run): Cell[] => [
    printable(run.runId),
    printable(run.experiment),
    printable(run.target),
    `${run.stage}/${run.stages}`,
    `${Number(run.dose.toPrecision(3))} %`,
    verdictCell(run, paint),
    printable(run.startedAt.replace('T', ' ').replace(/\.\d+Z$/, 'Z')),
    duration(run.mttdMs ?? undefined),
    duration(run.mttrMs ?? undefined),
    printable(findingsText(run)),
  ]);
  return table([head.map((text): Cell => ({ text, paint: paint.dim })), ...rows], { indent: 0, left: [1, 2, 5, 6, 9] });
}

function verdictCell({ verdict, isDryRun, isLiving }: ListedRun, paint: Paint): Cell {
  if (isLiving && verdict === 'unfinished') return { text: 'running', paint: paint.dim };
  return { text: isDryRun ? `${verdict} (dry run)` : verdict, paint: verdict === 'held' ? paint.green : paint.red };
}

function findingsText(run: RunSummary): string {
  if (run.findings.length === 0) return '';
  const names = [...new Set(run.findings.map(({ name }) => `${FINDINGS[name][0]} ${name}`))].join(', ');
  if (run.acknowledged !== undefined) return `${names} (acknowledged by ${run.acknowledged.who})`;
  return names;
}

/** The list for machines. */
export function runListJson(runs: readonly ListedRun[]): string {
  const list = runs.map((run) => ({ ...nullsFor(run), mttdMs: run.mttdMs ?? null, mttrMs: run.mttrMs ?? null }));
  return `${JSON.stringify({ version: 1, runs: list }, undefined, 2)}\n`;
}
