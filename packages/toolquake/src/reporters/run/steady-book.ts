/** The rules of the steady state, each with what was seen of it in every phase. */
import type { Phase } from '../../core/experiment.js';
import type { RuleReading, RuleState } from '../../core/run-entry.js';
import { clipped, createBoundedMap } from '../digest/bounded-map.js';

/** One rule in one phase. */
export type SteadyRecord = {
  readonly phase: Phase;
  /** `error_rate of control at most 0.01`. */
  readonly rule: string;
  readonly looks: number;
  readonly states: Readonly<Record<RuleState, number>>;
  /** As read last in this phase. */
  readonly last: { readonly value: number | null; readonly samples: number; readonly state: RuleState };
  readonly low: number | null;
  readonly high: number | null;
};

/** A rule in words. */
export function ruleText({ signal, lane, name, bound }: Pick<RuleReading, 'signal' | 'lane' | 'name' | 'bound'>): string {
  return clipped(`${signal}${name === undefined ? '' : ` ${name}`}${lane === undefined ? '' : ` of ${lane} calls`} ${bound}`);
}

type Row = {
  readonly phase: Phase;
  readonly rule: string;
  looks: number;
  states: Record<RuleState, number>;
  last: SteadyRecord['last'];
  low: number | null;
  high: number | null;
};

/** More rules than these no file has; further ones are counted together. */
const MAX_ROWS = 100;

/** No rule yet. */
export function createSteadyBook(): { add(phase: Phase, rule: RuleReading): void; list(): readonly SteadyRecord[] } {
  const rows = createBoundedMap<{ row?: Row }>(MAX_ROWS, () => ({}));
  return {
    add(phase, reading) {
      const held = rows.at(JSON.stringify([phase, ruleText(reading)]));
      const row = (held.row ??= {
        phase,
        rule: ruleText(reading),
        looks: 0,
        states: { holds: 0, fails: 0, few: 0, silent: 0 },
        last: reading,
        low: null,
        high: null,
      });
      const { value, samples, state } = reading;
      row.looks++;
      row.states[state]++;
      row.last = { value, samples, state };
      if (value === null) return;
      row.low = row.low === null ? value : Math.min(row.low, value);
      row.high = row.high === null ? value : Math.max(row.high, value);
    },
    list: () => rows.entries().flatMap(([, { row }]) => (row === undefined ? [] : [{ ...row, states: { ...row.states } }])),
  };
}
