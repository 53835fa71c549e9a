/** The measures of live calls: one row each, because there are many, and one column for each server. */
import type { LiveMeasures, TimeTo } from './digest/task-measures.js';
import type { Tasks } from './digest/task-book.js';
import { duration, figure, grouped, share } from './figures.js';

/** A table with its head. The first two columns are words. */
export type MeasureTable = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const count = (value: number | undefined): string => (value === undefined ? 'n/a' : grouped(value));
/** The mean, and how many of the harms it is about: the others never came to an end. */
const mean = ({ meanMs, seen, of }: TimeTo): string => (of === 0 ? 'n/a' : `${duration(meanMs)} (${seen} of ${of})`);

const ROWS: readonly (readonly [name: string, about: string, value: (own: LiveMeasures) => string])[] = [
  ['calls', '', (own) => grouped(own.calls)],
  ['failed', '', (own) => grouped(own.failed)],
  ['A', 'availability: responded / calls', ({ measures }) => share(measures.availability)],
  ['C', 'correctness: correct / responded', ({ measures }) => share(measures.correctness)],
  ['ETA', 'correct / calls', ({ measures }) => share(measures.eta)],
  ['TCSR', 'correct and in time / calls', ({ measures }) => share(measures.tcsr)],
  ['SCR', 'schema kept / results with a schema', ({ measures }) => share(measures.scr)],
  ['DA', 'in time / calls', ({ measures }) => share(measures.deadlineAdherence)],
  ['TCAF', 'operations / tasks', ({ measures }) => figure(measures.tcaf, 1)],
  ['TCAF wire', 'calls / tasks', ({ measures }) => figure(measures.tcafWire, 1)],
  ['RA', 'calls / operations', ({ measures }) => figure(measures.retryAmplification, 2)],
  ['RA faulted', 'the same, of operations that met a fault', ({ measures }) => figure(measures.retryAmplificationFaulted, 2)],
  ['RA upstream', 'calls that reached the server / operations', ({ measures }) => figure(measures.retryAmplificationUpstream, 2)],
  ['blast radius', 'failed tasks / tasks', ({ measures }) => share(measures.blastRadius)],
  ['MTTD', 'mean time to the first retry', ({ timeToReact }) => mean(timeToReact)],
  ['', 'median, with what never came', ({ timeToReact }) => duration(timeToReact.medianMs)],
  ['MTTR', 'mean time to a correct answer', ({ timeToRecover }) => mean(timeToRecover)],
  ['', 'median, with what never came', ({ timeToRecover }) => duration(timeToRecover.medianMs)],
  ['LOOP', 'operations that failed 4 times or more', ({ loops }) => count(loops)],
  ['wasted calls', 'after the third failure of an operation', ({ wastedCalls }) => count(wastedCalls)],
];

/** Servers side by side, and all of them last; wide tables are cut into several. */
export function measureTables({ overall, byLabel }: Tasks, maxServers: number = Infinity): readonly MeasureTable[] {
  if (overall.calls === 0 && byLabel.length === 0) return [];
  const all = { label: byLabel.length === 1 ? byLabel[0]!.label : 'all', measures: overall };
  const columns = byLabel.length <= 1 ? [all] : [...byLabel, all];
  const tables: MeasureTable[] = [];
  for (let from = 0; from < columns.length; from += maxServers) {
    const own = columns.slice(from, from + maxServers);
    tables.push({
      head: ['measure', '', ...own.map(({ label }) => label)],
      rows: ROWS.map(([name, about, value]) => [name, about, ...own.map(({ measures }) => value(measures))]),
    });
  }
  return tables;
}
