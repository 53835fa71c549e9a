/** How often gates are wrong, as a table. */
import { percent, table } from '../../reporters/figures.js';
import { table as markdownTable } from '../../reporters/markdown.js';
import type { NoiseModel } from './noise-model.js';
import { CHANGES, type GateRate, type GateRates } from './simulate-gates.js';

const [CLEAN = '', ...CHANGED] = Object.keys(CHANGES);
const HEAD = ['gate', 'false red', '95 % interval', ...CHANGED, 'calls per clean side'];

const interval = ({ interval: range }: GateRate): string => `${percent(range?.low)} to ${percent(range?.high)}`;

function cellsOf({ gate, rates, callsWhenUnchanged }: GateRates): readonly string[] {
  const clean = rates[CLEAN]!;
  return [
    gate,
    percent(clean.share),
    interval(clean),
    ...CHANGED.map((name) => percent(rates[name]!.share)),
    callsWhenUnchanged.toFixed(0),
  ];
}

/** For a terminal. */
export const ratesText = (rows: readonly GateRates[]): string => table([HEAD, ...rows.map(cellsOf)], { indent: 0 });

/** For a document. */
export const ratesMarkdown = (rows: readonly GateRates[]): string => markdownTable(HEAD, rows.map(cellsOf));

/** The model in a sentence, because every rate depends on it. */
export function modelText({ sigma, correlation, slowShare, slowFactor, drift }: NoiseModel): string {
  return [
    `lognormal latencies with sigma ${sigma}`,
    `each call keeping ${correlation} of the deviation of its server's last one`,
    `${percent(slowShare)} of calls ${slowFactor} times slower`,
    `the machine drifting by ${percent(drift)} during a run`,
  ].join(', ');
}
