/** Raw latencies as lines of a file: what `bench capture` writes, and later comparisons read. One JSON object per line. */
import { isObject } from '@toolquake/sdk/core';
import { parseObjectLine } from '../../recordings/recording-line.js';
import type { BenchCall, LatencySample } from './measure.js';

/** Version of the format; a reader refuses what it does not know. */
export const SAMPLE_VERSION = 1;

/** A run begins. A file may hold many: that is a history. */
export type RunStart = {
  readonly v: typeof SAMPLE_VERSION;
  readonly kind: 'start';
  readonly run: string;
  readonly startedAt: string;
  /** The target's name, for readers. */
  readonly target: string;
  /** Machines of one class can be compared; a label like `linux-x64-4`. */
  readonly runner: string;
  /** What was called. Without its arguments where they held a secret. */
  readonly calls: readonly { readonly tool: string; readonly key: string; readonly arguments?: BenchCall['arguments'] }[];
  readonly paceMs: number;
  /** Why this run starts a new level: earlier runs no longer count. */
  readonly changePoint?: string;
};

/** One latency. */
export type SampleLine = { readonly v: typeof SAMPLE_VERSION; readonly kind: 'sample'; readonly run: string } & LatencySample;

/** The run was measured to its end. */
export type RunEnd = { readonly v: typeof SAMPLE_VERSION; readonly kind: 'end'; readonly run: string };

/** One line. */
export type SampleFileLine = RunStart | SampleLine | RunEnd;

/** The text of a line, with its end. Latencies to a microsecond: no clock here is better than that. */
export function sampleText(line: SampleFileLine): string {
  const rounded = line.kind === 'sample' ? { ...line, latencyMs: microseconds(line.latencyMs), atMs: microseconds(line.atMs) } : line;
  return `${JSON.stringify(rounded)}\n`;
}

const microseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Reads a line; the text says what is wrong with it. */
export function parseSampleLine(text: string): SampleFileLine | string {
  const value = parseObjectLine(text);
  if (typeof value === 'string') return value;
  if (value['v'] !== SAMPLE_VERSION) return `has version ${JSON.stringify(value['v'])?.slice(0, 20)}, and this Toolquake reads version 1`;
  if (typeof value['run'] !== 'string') return 'needs "run", a text';
  const problem = whyBad(value);
  // Every member that is read was checked.
  return problem ?? (value as unknown as SampleFileLine);
}

function whyBad(value: Readonly<Record<string, unknown>>): string | undefined {
  switch (value['kind']) {
    case 'end':
      return undefined;
    case 'start':
      return whyNoStart(value);
    case 'sample': {
      const { tool, side, latencyMs } = value;
      if (typeof tool !== 'string') return 'needs "tool", a text';
      if (side !== 'baseline' && side !== 'candidate' && side !== 'calibration') return 'needs "side": baseline, candidate or calibration';
      return typeof latencyMs === 'number' && latencyMs > 0 ? undefined : 'needs "latencyMs", a number above 0';
    }
    default:
      return `has an unknown "kind": ${JSON.stringify(value['kind'])?.slice(0, 40)}`;
  }
}

function whyNoStart({ target, runner, startedAt, calls, changePoint }: Readonly<Record<string, unknown>>): string | undefined {
  if (![target, runner, startedAt].every((text) => typeof text === 'string'))
    return 'needs "target", "runner" and "startedAt", three texts';
  if (changePoint !== undefined && typeof changePoint !== 'string') return 'has a "changePoint" that is no text';
  const isCall = (call: unknown): boolean =>
    isObject(call) &&
    typeof call['tool'] === 'string' &&
    typeof call['key'] === 'string' &&
    (call['arguments'] === undefined || isObject(call['arguments']));
  return Array.isArray(calls) && calls.every(isCall) ? undefined : 'needs "calls", a list of {tool, key}';
}
