/** What is best read as a table: rules, calls, sequences, changed answers, problems, runs. */
import type { CallOutcome } from '@toolquake/sdk/core';
import { coverageText } from '../coverage.js';
import { hasNeverFired } from '../digest/rule-book.js';
import { CONTROL_HEAD, CONTROL_WORDS, controlRows, firedText } from '../control-rows.js';
import { duration, figure, grouped, many, percent, share } from '../figures.js';
import type { Digest } from '../journal-digest.js';
import { latencyPlot } from '../plots/latency-plot.js';
import { barPlot } from '../plots/bar-plot.js';
import { untoldGroups } from '../task-rows.js';
import { figureMarkup, lead, sheet, type Section, type TableCell } from './markup.js';

const code = (text: string): TableCell => ({ text, isCode: true });

/** Rules and what came of them. */
export function rulesSection(digest: Digest): Section {
  const { rules } = digest;
  const covered = coverageText(digest);
  const rows = rules.map((rule): TableCell[] => [
    code(rule.id),
    code(rule.fault),
    hasNeverFired(rule) ? { text: firedText(rule), class: 'never' } : firedText(rule),
    grouped(rule.suppressed),
    grouped(rule.notDelivered),
    rule.reasons.map(({ text, count }) => `${text} (${grouped(count)})`).join('; '),
  ]);
  const head = ['rule', 'fault', 'fired', 'suppressed', 'not delivered', 'why'];
  return {
    id: 'rules',
    title: 'Rules',
    body: `${sheet({ caption: 'Rules', head, rows, text: [1, 5] })}${covered === undefined ? '' : lead(covered)}`,
  };
}

const OUTCOMES: readonly (readonly [CallOutcome, tone: number])[] = [
  ['ok', 2],
  ['tool-error', 0],
  ['rpc-error', 0],
  ['http-error', 0],
  ['disconnected', 0],
  ['no-answer', 0],
  ['cancelled', 5],
];

/** Calls by outcome and by tool, and the measures that calls alone can tell. */
export function callsSection(digest: Digest): Section {
  const { calls, tools } = digest;
  if (calls.calls === 0) return { id: 'calls', title: 'Calls', body: '' };
  const seen = OUTCOMES.filter(([outcome]) => (calls.outcomes[outcome] ?? 0) > 0);
  const shareOf = (outcome: CallOutcome): number => (calls.outcomes[outcome] ?? 0) / calls.calls;
  const outcomes = figureMarkup({
    id: 'outcomes',
    title: 'Calls by outcome',
    description: `Bars: ${seen.map(([outcome]) => `${outcome} ${percent(shareOf(outcome))}`).join(', ')}.`,
    draw: (width) =>
      barPlot({
        width,
        label: percent,
        bars: seen.map(([name, tone]) => ({ name, tone, estimate: { mean: shareOf(name), interval: undefined } })),
      }),
    table: {
      caption: 'Calls by outcome',
      head: ['outcome', 'calls', 'share'],
      rows: seen.map(([outcome]) => [outcome, grouped(calls.outcomes[outcome] ?? 0), percent(shareOf(outcome))]),
    },
  });
  const shown = tools.slice(0, 16);
  const latency = figureMarkup({
    id: 'latency',
    title: tools.length > shown.length ? `Latency of the ${shown.length} tools that were called most` : 'Latency by tool',
    description: `Ranges from p50 to p99: ${shown.map(({ tool, latency: own }) => `${tool} p50 ${duration(own.p50)}, p99 ${duration(own.p99)}`).join('; ')}.`,
    caption: 'Of calls that were answered.',
    draw: (width) =>
      latencyPlot({ width, rows: shown.map(({ tool, latency: own }) => ({ group: tool, name: '', tone: 1, latency: own })) }),
    table: {
      caption: 'Tools',
      head: ['tool', 'calls', 'failed', 'met a fault', 'changed', 'p50', 'p95', 'p99', 'slowest'],
      rows: tools.map(({ tool, calls: own, failed, faulted, altered, latency: l }) => [
        code(tool),
        ...[own, failed, faulted, altered].map(grouped),
        ...[l.p50, l.p95, l.p99, l.max].map(duration),
      ]),
    },
  });
  const measures = untoldGroups(digest).map(({ label, calls: own }): TableCell[] => [
    label,
    grouped(own.calls),
    own.tasks === undefined ? 'n/a' : grouped(own.tasks),
    ...[own.measures.availability, own.measures.correctness, own.measures.eta, own.measures.tcsr].map(share),
    figure(own.measures.tcafWire, 1),
    figure(own.measures.tcaf, 1),
    share(own.measures.blastRadius),
  ]);
  const head = ['', 'calls', 'tasks', 'availability', 'correctness', 'ETA', 'TCSR', 'calls per task', 'TCAF', 'blast radius'];
  const isPartial = calls.told > calls.calls;
  const about = isPartial
    ? `Only the ${grouped(calls.calls)} of ${grouped(calls.told)} calls that are in the journal: those that met a fault. They say nothing about the rest.`
    : measures.length === 0
      ? 'As the callers saw them.'
      : 'n/a: calls alone do not tell it. Which calls belong to one operation, and how tasks ended, is known to the agent.';
  const body = `${lead(about)}<div class="plots">${outcomes}${isPartial ? '' : `${latency}${measures.length === 0 ? '' : `<div class="full">${sheet({ caption: 'Measures', head, rows: measures })}</div>`}`}</div>`;
  return { id: 'calls', title: 'Calls', body };
}

/** Marks in an order that has a name, and single marks. */
export function happeningsSection({ sequences, marks }: Digest): Section {
  const named = sequences.map(({ sequence, label, runs, firstAtMs, marks: steps }): TableCell[] => [
    sequence,
    label,
    many(runs, 'run'),
    duration(firstAtMs),
    steps.join(' → '),
  ]);
  const single = marks.map(({ mark, where, label, count, firstAtMs }): TableCell[] => [
    mark,
    where,
    label,
    grouped(count),
    duration(firstAtMs),
  ]);
  const body =
    sheet({ caption: 'Sequences', head: ['sequence', 'variant', 'came about in', 'first after', 'marks'], rows: named, text: [1, 4] }) +
    (single.length === 0
      ? ''
      : `<details><summary>All marks</summary>${sheet({ caption: 'Marks', head: ['mark', 'where', 'variant', 'times', 'first after'], rows: single, text: [1, 2] })}</details>`);
  return { id: 'sequences', title: 'Sequences', body };
}

/** What was done to runs while they went on. */
export function controlSection({ control }: Digest): Section {
  const more = control.count > control.list.length ? lead(`The first ${control.list.length} of ${grouped(control.count)}.`) : '';
  const table = sheet({ caption: 'Control while it ran', head: CONTROL_HEAD, rows: controlRows(control), text: CONTROL_WORDS });
  return { id: 'control', title: 'Control', body: table === '' ? '' : `${more}${table}` };
}

/** What data faults made of answers. */
export function dataChangesSection({ dataChanges }: Digest): Section {
  const rows = dataChanges.map(({ rule, tool, path, clean, dirty, count }): TableCell[] => [
    code(rule),
    tool === undefined ? '' : code(tool),
    code(path),
    code(clean),
    code(dirty),
    grouped(count),
  ]);
  const table = sheet({ caption: 'Changed answers', head: ['rule', 'tool', 'path', 'clean', 'dirty', 'times'], rows, text: [1, 2, 3, 4] });
  return {
    id: 'changes',
    title: 'Changed answers',
    body: table === '' ? '' : `${lead('The first clean value and what the caller saw instead.')}${table}`,
  };
}

/** What went wrong with the run or the journal itself. */
export function problemsSection({ problems, skipped, torn, runs }: Digest): Section {
  const rows: TableCell[][] = [
    ...problems.map(({ text, count }) => [text, grouped(count)]),
    ...skipped.first.map(({ where, problem }) => [`${where} was left out: ${problem}`, '1']),
    ...(skipped.count > skipped.first.length ? [['further lines that were left out', grouped(skipped.count - skipped.first.length)]] : []),
    ...(torn > 0 ? [['lines cut off where a run was killed', grouped(torn)]] : []),
    ...(runs.unfinished > 0 ? [['runs without an end: killed, or still going on', grouped(runs.unfinished)]] : []),
  ];
  return { id: 'problems', title: 'Problems', body: sheet({ caption: 'Problems', head: ['problem', 'times'], rows }) };
}

/** Every run, folded away. */
export function runsSection({ runs }: Digest): Section {
  const rows = runs.list.map((run): TableCell[] => [
    `${run.number}`,
    run.label,
    run.transport,
    `${run.seed}`,
    run.startedAt ?? '',
    duration(run.lastMs),
    grouped(run.calls),
    run.hasEnded ? 'yes' : 'no',
  ]);
  const more = runs.count > runs.list.length ? lead(`The first ${runs.list.length} of ${runs.count} runs.`) : '';
  const table = sheet({
    caption: 'Runs',
    head: ['run', 'label', 'transport', 'seed', 'started', 'lasted', 'calls', 'ended'],
    rows,
    text: [1, 2],
  });
  return { id: 'runs', title: 'Runs', body: `<details><summary>${many(runs.count, 'run')}</summary>${more}${table}</details>` };
}
