/** Times calls, one after the other. What makes a call and what tells the time are handed in. */
import type { Clock } from '@toolquake/sdk/core';
import { blockOrder, type Side } from './block-order.js';
import type { Block } from './paired-gate.js';

/** A call that is repeated: always the same tool, always the same arguments. */
export type BenchCall = { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };

/** Makes a call and resolves to why it failed; undefined: it was answered well. */
export type Caller = (call: BenchCall, signal: AbortSignal | undefined) => Promise<string | undefined>;

/** One latency that was measured. `block` counts from 0 within a stage. */
export type LatencySample = {
  readonly tool: string;
  readonly side: Side | 'calibration';
  readonly latencyMs: number;
  readonly atMs: number;
  readonly stage: number;
  readonly block: number;
};

/** How measuring goes on. */
export type MeasureOptions = {
  readonly clock: Clock;
  /** From the end of a call to the start of the next. */
  readonly paceMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onSample?: ((sample: LatencySample) => void) | undefined;
  /** After every call, warm-up included. */
  readonly onCall?: (() => void) | undefined;
};

/** A call that failed: its time says nothing about latency, so measuring ends. */
export class CallFailed extends Error {
  readonly side: LatencySample['side'];
  readonly tool: string;

  constructor(side: LatencySample['side'], tool: string, why: string) {
    super(why);
    this.name = 'CallFailed';
    this.side = side;
    this.tool = tool;
  }
}

/** Clocks of some systems tick coarsely; a latency of zero has no logarithm. */
const SHORTEST_MS = 0.001;

type Place = Pick<LatencySample, 'side' | 'stage' | 'block'>;

/** Times one call. Throws `CallFailed` when it fails. */
async function timeCall(call: BenchCall, caller: Caller, place: Place, options: MeasureOptions): Promise<number> {
  const { clock, signal, onSample, onCall } = options;
  signal?.throwIfAborted();
  const startMs = clock.nowMs();
  const failure = await caller(call, signal);
  const endMs = clock.nowMs();
  signal?.throwIfAborted();
  if (failure !== undefined) throw new CallFailed(place.side, call.tool, failure);
  const latencyMs = Math.max(SHORTEST_MS, endMs - startMs);
  onSample?.({ tool: call.tool, ...place, latencyMs, atMs: startMs });
  onCall?.();
  if (options.paceMs > 0) await pause(options.paceMs, clock, signal);
  return latencyMs;
}

/** Calls that are not counted: connections open, caches and compilers warm up. */
export async function warmUp(
  call: BenchCall,
  caller: Caller,
  times: number,
  side: LatencySample['side'],
  options: MeasureOptions,
): Promise<void> {
  const uncounted = { ...options, onSample: undefined };
  for (let time = 0; time < times; time++) await timeCall(call, caller, { side, stage: 0, block: 0 }, uncounted);
}

/** Times calls to one target. */
export async function measureRun(
  call: BenchCall,
  caller: Caller,
  times: number,
  side: LatencySample['side'],
  options: MeasureOptions,
): Promise<readonly number[]> {
  const latencies: number[] = [];
  for (let time = 0; time < times; time++) latencies.push(await timeCall(call, caller, { side, stage: 1, block: 0 }, options));
  return latencies;
}

/** Times calls to two targets in turns, block by block. */
export async function measureBlocks(
  call: BenchCall,
  callers: Readonly<Record<Side, Caller>>,
  { blocks: count, callsPerBlock, stage }: { readonly blocks: number; readonly callsPerBlock: number; readonly stage: number },
  options: MeasureOptions,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (let number = 0; number < count; number++) {
    const block: Record<Side, number[]> = { baseline: [], candidate: [] };
    for (const side of blockOrder(number, callsPerBlock)) {
      block[side].push(await timeCall(call, callers[side], { side, stage, block: number }, options));
    }
    blocks.push(block);
  }
  return blocks;
}

/** Resolves after `ms`, or rejects at once when `signal` aborts. */
function pause(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.schedule(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}
