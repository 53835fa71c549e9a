/** A digest for a pull request or a step summary. */
import { coverageText } from './coverage.js';
import { pointText, type Cell, type Comparison } from './digest/comparison.js';
import type { Sweep } from './digest/sweep.js';
import { CONTROL_HEAD, CONTROL_WORDS, controlRows, firedText } from './control-rows.js';
import { escapeMarkdown as text } from './escape.js';
import { duration, figure, grouped, many, range, share } from './figures.js';
import type { Digest } from './journal-digest.js';
import { measureTables } from './measure-table.js';
import { brokenExpectations, comparedCells, storyOf } from './story.js';
import { expectationText, measureNote, TASK_HEAD, TASK_WORDS, taskRows, tasksLead, untoldGroups } from './task-rows.js';

/** A word that stands for itself. */
export const code = (word: string): string => `<code>${text(word)}</code>`;

/** A table; the first column to the left, the rest to the right unless `left` names them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], left: readonly number[] = []): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}|${head.map((_, index) => (index === 0 || left.includes(index) ? ' --- ' : ' ---: ')).join('|')}|\n${rows.map(line).join('')}`;
}

const section = (title: string, body: string): string => (body === '' ? '' : `\n### ${title}\n\n${body}`);

/** Long tables are folded away: a comment is read from the top. */
const folded = (title: string, body: string): string =>
  body === '' ? '' : `\n<details><summary>${title}</summary>\n\n${body}\n</details>\n`;

/** The report as Markdown. */
export function renderMarkdown(digest: Digest, { subject }: { readonly subject: string }): string {
  const { ran, broke, contained, neverFired } = storyOf(digest);
  const list = (title: string, lines: readonly string[]): string => `- **${title}:** ${lines.map(text).join(' ')}\n`;
  const isGood = neverFired.length === 0 && brokenExpectations(digest).length === 0;
  return [
    `## ${isGood ? '✅' : '❌'} toolquake report ${code(subject)}\n\n`,
    list('What was run', ran),
    list('What broke', broke),
    list('What contained it', contained),
    ...digest.runs.guarded.map((why) => `- **Guarded:** ${text(why)}: nothing was injected.\n`),
    neverFired.length === 0
      ? ''
      : `\n> **Never fired:** ${neverFired.map(({ id }) => code(id)).join(', ')}. What never happened was not tested.\n`,
    ...digest.comparisons.map(comparisonText),
    ...digest.sweeps.map(sweepText),
    section('Rules', rulesTable(digest)),
    section('Tasks', tasksText(digest)),
    section('Calls', callsTable(digest)),
    folded('Latency by tool', toolsTable(digest)),
    folded('Sequences', sequencesTable(digest)),
    folded('Control', controlTable(digest)),
    folded('Changed answers', dataChangesTable(digest)),
    folded('Problems', problemsList(digest)),
  ].join('');
}

function comparisonText(comparison: Comparison): string {
  const { scenario, cells, keys } = comparison;
  const compared = comparedCells(comparison);
  const point = pointText(compared[0]?.point ?? {});
  const rows = compared.map((cell) => [
    text(cell.variant),
    `**${figure(cell.blastRadius.mean, 4)}** ${range(cell.blastRadius.interval)}`,
    share(cell.onPaper),
    figure(cell.callsPerOperation.mean, 3),
    duration(cell.taskP99.mean),
    grouped(cell.deceivedTasks),
    grouped(cell.runs),
  ]);
  const overall = table(['variant', 'blast radius', 'on paper', 'calls per operation', 'task p99', 'deceived tasks', 'runs'], rows);
  return section(
    `Scenario ${text(scenario)}${point === '' ? '' : `, at ${text(point)}`}`,
    `${overall}${keys.length === 0 ? '' : folded('Blast radius by point', pointsTable(cells))}`,
  );
}

function pointsTable(cells: readonly Cell[]): string {
  const variants = [...new Set(cells.map(({ variant }) => variant))];
  const points = [...new Set(cells.map(({ point }) => pointText(point)))];
  const rows = points.map((point) => {
    const here = cells.filter((cell) => pointText(cell.point) === point);
    const found = variants.map((variant) => here.find((cell) => cell.variant === variant)?.blastRadius);
    return [
      text(point),
      ...found.map((one) => `${share(one?.mean)} ${range(one?.interval)}`),
      share(here.find(({ onPaper }) => onPaper !== undefined)?.onPaper),
    ];
  });
  return table(['point', ...variants.map(text), 'on paper'], rows);
}

function sweepText({ label, what, up, down }: Sweep): string {
  const values = [...new Set([...up, ...down].map(({ value }) => value))].sort((a, b) => a - b);
  const at = (levels: Sweep['up'], value: number): string => {
    const found = levels.find((level) => level.value === value)?.failedShare;
    return found === undefined ? '' : `${share(found.mean)} ${range(found.interval)}`;
  };
  const rows = values.map((value) => [`${value}`, at(up, value), at(down, value)]);
  return section(`Up and down again, ${text(label)}: share of failed tasks`, table([text(what), 'way up', 'way down'], rows));
}

function rulesTable(digest: Digest): string {
  const { rules } = digest;
  const covered = coverageText(digest);
  const rows = rules.map((rule) => [
    code(rule.id),
    code(rule.fault),
    firedText(rule, '**never**'),
    grouped(rule.suppressed),
    grouped(rule.notDelivered),
    rule.reasons.map((reason) => `${text(reason.text)} (${grouped(reason.count)})`).join('; '),
  ]);
  const overview = table(['rule', 'fault', 'fired', 'suppressed', 'not delivered', 'why'], rows, [1, 5]);
  return covered === undefined ? overview : `${overview}\n${text(covered)}\n`;
}

function tasksText({ tasks }: Digest): string {
  if (tasks === undefined) return '';
  const expected = tasks.expectations.map((one) => `- ${one.holds ? '✅' : '❌'} ${text(expectationText(one))}\n`);
  return [
    `${text(tasksLead(tasks))}\n\n`,
    ...(expected.length === 0 ? [] : [...expected, '\n']),
    ...measureTables(tasks).map(({ head, rows }) =>
      table(
        head.map(text),
        rows.map((row) => row.map(text)),
        [1],
      ),
    ),
    `\n${text(measureNote(tasks))}\n\n`,
    folded(
      many(tasks.count, 'task'),
      table(
        TASK_HEAD,
        taskRows(tasks).map((row) => row.map(text)),
        TASK_WORDS,
      ),
    ),
  ].join('');
}

function callsTable(digest: Digest): string {
  const rows = untoldGroups(digest).map(({ label, calls }) => [
    text(label),
    grouped(calls.calls),
    grouped(calls.failed),
    grouped(calls.altered),
    share(calls.measures.availability),
    share(calls.measures.correctness),
    share(calls.measures.eta),
    share(calls.measures.tcsr),
    figure(calls.measures.tcafWire, 1),
    figure(calls.measures.tcaf, 1),
    share(calls.measures.blastRadius),
  ]);
  return table(['', 'calls', 'failed', 'changed', 'A', 'C', 'ETA', 'TCSR', 'calls per task', 'TCAF', 'blast radius'], rows);
}

function toolsTable({ tools }: Digest): string {
  const rows = tools.map(({ tool, calls, failed, latency }) => [
    code(tool),
    grouped(calls),
    grouped(failed),
    ...[latency.p50, latency.p95, latency.p99, latency.max].map(duration),
  ]);
  return table(['tool', 'calls', 'failed', 'p50', 'p95', 'p99', 'max'], rows);
}

function sequencesTable({ sequences }: Digest): string {
  const rows = sequences.map(({ sequence, label, runs, firstAtMs, marks }) => [
    text(sequence),
    text(label),
    many(runs, 'run'),
    duration(firstAtMs),
    marks.map(text).join(' → '),
  ]);
  return table(['sequence', '', 'in', 'first after', 'marks'], rows, [1, 4]);
}

function controlTable({ control }: Digest): string {
  return table(
    CONTROL_HEAD,
    controlRows(control).map((row) => row.map(text)),
    CONTROL_WORDS,
  );
}

function dataChangesTable({ dataChanges }: Digest): string {
  const rows = dataChanges.map(({ rule, tool, path, clean, dirty, count }) => [
    code(rule),
    tool === undefined ? '' : code(tool),
    code(path),
    code(clean),
    code(dirty),
    grouped(count),
  ]);
  return table(['rule', 'tool', 'path', 'clean', 'dirty', 'times'], rows, [1, 2, 3, 4]);
}

function problemsList({ problems, skipped, runs }: Digest): string {
  return [
    ...problems.slice(0, 20).map((problem) => `- ${text(problem.text)} (${grouped(problem.count)})\n`),
    ...skipped.first.map(({ where, problem }) => `- ${code(where)} was left out: ${text(problem)}\n`),
    ...(skipped.count > skipped.first.length ? [`- ${grouped(skipped.count)} lines were left out in all\n`] : []),
    ...(runs.unfinished > 0 ? [`- ${many(runs.unfinished, 'run')} of ${grouped(runs.count)} had no end: killed, or still going on\n`] : []),
  ].join('');
}
