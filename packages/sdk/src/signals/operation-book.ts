/**
 * Counts operations by what they were and how they ended, in bounded memory: a histogram for whoever scrapes, and the
 * percentiles of the last minutes for whoever looks. Tool errors and protocol errors stay apart: agents correct the first
 * by themselves.
 */
import { createLabelNames } from '../core/label-names.js';
import type { MetricFamily, MetricLabels, MetricSample } from '../core/metrics-text.js';
import { createSketch, mergeSketches, type Sketch } from '../core/sketch.js';
import type { Operation } from './operation.js';

/** What a caller's name counts as when the server has no such tool, or there is no room for more names. */
export const OTHER_NAME = '_other';

/** Upper bounds in seconds, as OpenTelemetry advises for MCP. */
export const DURATION_BOUNDS_SECONDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** More tools than this share a label; so do more combinations of labels than the second number. */
const MAX_TOOLS = 200;
const MAX_METHODS = 64;
const MAX_ERROR_TYPES = 40;
const MAX_VERSIONS = 8;
const MAX_SERIES = 2000;
const MAX_KEY_LENGTH = 500;

/** Percentiles are of this many minutes. */
const WINDOW_MINUTES = 5;

/** One tool, or one method that is no tool call, over the last minutes. */
export type RecentFigures = {
  readonly method: string;
  readonly tool?: string;
  readonly calls: number;
  readonly protocolErrors: number;
  readonly toolErrors: number;
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
};

/** See the module comment. */
export type OperationBook = {
  add(operation: Operation): void;
  family(): MetricFamily;
  /** The last minutes, up to now. */
  recent(): readonly RecentFigures[];
  /** Everything since the start. */
  readonly total: number;
};

type Series = { readonly labels: MetricLabels; readonly buckets: number[]; sum: number; count: number };
type Minute = { readonly minute: number; readonly sketch: Sketch; protocolErrors: number; toolErrors: number };
type Recent = { readonly method: string; readonly tool: string | undefined; readonly minutes: Minute[] };

type Place = { readonly series: Series; readonly recent: Recent };

/** A book with nothing in it. */
export function createOperationBook(nowMs: () => number): OperationBook {
  const series = new Map<string, Series>();
  const recents = new Map<string, Recent>();
  const places = new Map<string, Place>();
  const tools = createLabelNames(MAX_TOOLS, OTHER_NAME);
  const methods = createLabelNames(MAX_METHODS, OTHER_NAME);
  const errorTypes = createLabelNames(MAX_ERROR_TYPES, OTHER_NAME);
  const versions = createLabelNames(MAX_VERSIONS, OTHER_NAME);
  let total = 0;

  const labelsOf = ({ method, tool, errorType, network, version }: Operation): MetricLabels => ({
    mcp_method_name: methods(method),
    ...(tool === undefined ? {} : { gen_ai_tool_name: tools(tool) }),
    ...(errorType === undefined ? {} : { error_type: errorTypes(errorType) }),
    ...(network === undefined ? {} : { network_transport: network }),
    ...(version === undefined ? {} : { mcp_protocol_version: versions(version) }),
  });

  const seriesOf = (given: MetricLabels): Series => {
    const isFull = series.size >= MAX_SERIES;
    const key = JSON.stringify(given);
    const known = series.get(key);
    if (known !== undefined) return known;
    const labels = isFull ? { mcp_method_name: OTHER_NAME } : given;
    const existing = isFull ? series.get(JSON.stringify(labels)) : undefined;
    if (existing !== undefined) return existing;
    const made: Series = { labels, buckets: DURATION_BOUNDS_SECONDS.map(() => 0), sum: 0, count: 0 };
    series.set(isFull ? JSON.stringify(labels) : key, made);
    return made;
  };

  const recentOf = (method: string, tool: string | undefined): Recent => {
    const key = JSON.stringify([method, tool]);
    const recent = recents.get(key) ?? { method, tool, minutes: [] };
    recents.set(key, recent);
    return recent;
  };

  /** Most operations are like one that was there before: then nothing has to be put together. */
  const placeOf = (operation: Operation): Place => {
    const { method, tool, errorType, network, version } = operation;
    const key = `${method}\n${tool ?? ''}\n${errorType ?? ''}\n${network ?? ''}\n${version ?? ''}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const labels = labelsOf(operation);
    const place: Place = { series: seriesOf(labels), recent: recentOf(labels['mcp_method_name']!, labels['gen_ai_tool_name']) };
    // Keys are names from outside; what finds no room here is put together again each time.
    if (places.size < MAX_SERIES && key.length < MAX_KEY_LENGTH) places.set(key, place);
    return place;
  };

  const countRecent = ({ minutes }: Recent, { seconds, errorType }: Operation): void => {
    const minute = Math.floor(nowMs() / 60_000);
    let last = minutes.at(-1);
    if (last?.minute !== minute) {
      last = { minute, sketch: createSketch(), protocolErrors: 0, toolErrors: 0 };
      minutes.push(last);
      if (minutes.length > WINDOW_MINUTES) minutes.shift();
    }
    last.sketch.add(seconds * 1000);
    if (errorType === 'tool_error') last.toolErrors++;
    else if (errorType !== undefined) last.protocolErrors++;
  };

  return {
    add(operation) {
      total++;
      const { series: one, recent } = placeOf(operation);
      one.count++;
      one.sum += operation.seconds;
      const bucket = DURATION_BOUNDS_SECONDS.findIndex((bound) => operation.seconds <= bound);
      if (bucket >= 0) one.buckets[bucket]!++;
      countRecent(recent, operation);
    },
    family: () => ({
      name: 'mcp_server_operation_duration_seconds',
      help: 'Time from a request to the moment its final answer was sent.',
      type: 'histogram',
      samples: [...series.values()].flatMap(histogramSamples),
    }),
    recent() {
      const first = Math.floor(nowMs() / 60_000) - WINDOW_MINUTES + 1;
      return [...recents.values()].flatMap(({ method, tool, minutes }) => {
        const held = minutes.filter(({ minute }) => minute >= first);
        const sketch = mergeSketches(held.map((one) => one.sketch));
        if (sketch.count === 0) return [];
        const sum = (pick: (one: Minute) => number): number => held.reduce((so, one) => so + pick(one), 0);
        return [
          {
            method,
            ...(tool === undefined ? {} : { tool }),
            calls: sketch.count,
            protocolErrors: sum((one) => one.protocolErrors),
            toolErrors: sum((one) => one.toolErrors),
            p50Ms: sketch.quantile(0.5),
            p95Ms: sketch.quantile(0.95),
            p99Ms: sketch.quantile(0.99),
          },
        ];
      });
    },
    get total() {
      return total;
    },
  };
}

/** Buckets add up in a histogram's text: each holds all faster ones. */
function histogramSamples({ labels, buckets, sum, count }: Series): MetricSample[] {
  let under = 0;
  const bounds = DURATION_BOUNDS_SECONDS.map((bound, index) => ({ le: String(bound), value: (under += buckets[index]!) }));
  return [
    ...[...bounds, { le: '+Inf', value: count }].map(({ le, value }) => ({ suffix: '_bucket' as const, labels: { ...labels, le }, value })),
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
