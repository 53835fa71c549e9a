/** What was seen from outside, over time: calls by lane, probes, the steady state. In a fixed number of stretches. */
import { createSketch, type Sketch } from '@toolquake/sdk/core';
import type { CallEnd, Lane, Sample } from '../../core/sample.js';
import { createCounter, type Counter, type TextCount } from '../digest/bounded-map.js';
import { percentilesOf, type Percentiles } from '../digest/percentiles.js';
import { createTimeBuckets } from '../digest/time-buckets.js';

/** Calls of one lane in one stretch. Undefined: there were none. */
export type LanePoint = {
  readonly calls: number;
  readonly failed: number;
  readonly failedShare: number | undefined;
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
};

/** One stretch. */
export type SeriesPoint = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lanes: Readonly<Record<Lane, LanePoint>>;
  readonly probes: number;
  readonly down: number;
  readonly probeP95Ms: number | undefined;
  /** Looks at the steady state, and those that found it broken. */
  readonly looks: number;
  readonly unsteady: number;
};

/** All calls of one lane. */
export type LaneTotals = {
  readonly calls: number;
  readonly failed: number;
  readonly ends: Readonly<Partial<Record<CallEnd, number>>>;
  readonly latency: Percentiles;
  readonly details: readonly TextCount[];
};

/** All probes. */
export type ProbeTotals = {
  readonly probes: number;
  readonly down: number;
  readonly latency: Percentiles;
  readonly reasons: readonly TextCount[];
};

/** See the module comment. */
export type SeriesBook = {
  addCall(call: Extract<Sample, { source: 'call' }>): void;
  addProbe(probe: Extract<Sample, { source: 'probe' }>): void;
  addSteady(atMs: number, isSteady: boolean): void;
  points(): readonly SeriesPoint[];
  lanes(): Readonly<Record<Lane, LaneTotals>>;
  probes(): ProbeTotals;
};

type LaneBucket = { calls: number; failed: number; latency: Sketch };
type Bucket = { control: LaneBucket; faulted: LaneBucket; probes: number; down: number; probe: Sketch; looks: number; unsteady: number };

const startLane = (): LaneBucket => ({ calls: 0, failed: 0, latency: createSketch() });
const LANES = ['control', 'faulted'] as const;

/** Stretches of a quarter of a second at first: a run of half a minute is drawn in full. */
const WIDTH_MS = 250;

/** Words that people would read. */
const MAX_WORDS = 40;

function mergeLane(into: LaneBucket, from: LaneBucket): void {
  into.calls += from.calls;
  into.failed += from.failed;
  into.latency.merge(from.latency);
}

function mergeBucket(into: Bucket, from: Bucket): void {
  for (const lane of LANES) mergeLane(into[lane], from[lane]);
  into.probes += from.probes;
  into.down += from.down;
  into.probe.merge(from.probe);
  into.looks += from.looks;
  into.unsteady += from.unsteady;
}

type Totals = LaneBucket & { readonly ends: Partial<Record<CallEnd, number>>; readonly details: Counter };
const startTotals = (): Totals => ({ ...startLane(), ends: {}, details: createCounter(MAX_WORDS) });

/** Nothing seen yet. */
export function createSeriesBook(): SeriesBook {
  const buckets = createTimeBuckets<Bucket>({
    widthMs: WIDTH_MS,
    make: () => ({ control: startLane(), faulted: startLane(), probes: 0, down: 0, probe: createSketch(), looks: 0, unsteady: 0 }),
    merge: mergeBucket,
  });
  const totals: Record<Lane, Totals> = { control: startTotals(), faulted: startTotals() };
  const reasons = createCounter(MAX_WORDS);
  const probes = { probes: 0, down: 0, latency: createSketch() };

  return {
    addCall({ atMs, lane, end, ms, detail }) {
      for (const one of [buckets.at(atMs)[lane], totals[lane]]) {
        one.calls++;
        if (end !== 'ok') one.failed++;
        one.latency.add(ms);
      }
      const total = totals[lane];
      total.ends[end] = (total.ends[end] ?? 0) + 1;
      if (end !== 'ok' && detail !== undefined) total.details.add(detail);
    },
    addProbe({ atMs, isUp, reason, step, totalMs }) {
      const bucket = buckets.at(atMs);
      bucket.probes++;
      bucket.probe.add(totalMs);
      probes.probes++;
      probes.latency.add(totalMs);
      if (isUp) return;
      bucket.down++;
      probes.down++;
      reasons.add(`${reason ?? 'unknown'}${step === null ? '' : ` at ${step}`}`);
    },
    addSteady(atMs, isSteady) {
      const bucket = buckets.at(atMs);
      bucket.looks++;
      if (!isSteady) bucket.unsteady++;
    },
    points: () => buckets.list().map(({ fromMs, toMs, bucket }) => pointOf(fromMs, toMs, bucket)),
    lanes: () => ({ control: totalsOf(totals.control), faulted: totalsOf(totals.faulted) }),
    probes: () => ({ probes: probes.probes, down: probes.down, latency: percentilesOf(probes.latency), reasons: reasons.list() }),
  };
}

function pointOf(fromMs: number, toMs: number, bucket: Bucket): SeriesPoint {
  const { control, faulted, probe, ...counts } = bucket;
  return {
    fromMs,
    toMs,
    ...counts,
    lanes: { control: lanePointOf(control), faulted: lanePointOf(faulted) },
    probeP95Ms: probe.quantile(0.95),
  };
}

function lanePointOf({ calls, failed, latency }: LaneBucket): LanePoint {
  return {
    calls,
    failed,
    failedShare: calls === 0 ? undefined : failed / calls,
    p50Ms: latency.quantile(0.5),
    p95Ms: latency.quantile(0.95),
  };
}

function totalsOf({ calls, failed, ends, latency, details }: Totals): LaneTotals {
  return { calls, failed, ends: { ...ends }, latency: percentilesOf(latency), details: details.list() };
}
