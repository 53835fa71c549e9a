/**
 * What a Node process knows of itself: event loop and memory. The one file here that looks at the process; it is asked for
 * at run time and not imported, so that the same entry loads where there is none (Workers, browsers), and then says nothing.
 */
import type { Cancel } from '../core/clock.js';

/** The process right now. What cannot be known here is undefined. */
export type ProcessFigures = {
  /** 99th percentile of how late the event loop was, over the last full minute. */
  readonly eventLoopDelayP99Seconds: number | undefined;
  /** Share of the time that the event loop was busy, since the start. */
  readonly eventLoopUtilization: number;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  /** What the heap may grow to: the total is only what it has now. */
  readonly heapLimitBytes: number;
  /** Heap in use after the last major collection: before one, it says little. */
  readonly heapAfterGcBytes: number | undefined;
  readonly rssBytes: number;
};

/** A process that can be read. */
export type ProcessPort = {
  read(): ProcessFigures;
  /** The event loop's delay is of a minute; this begins another one. */
  nextMinute(): void;
  readonly stop: Cancel;
};

type DelayHistogram = { enable(): void; disable(): void; reset(): void; percentile(p: number): number; readonly count: number };
type PerformanceModule = {
  monitorEventLoopDelay(options: { resolution: number }): DelayHistogram;
  performance: { eventLoopUtilization(): { utilization: number } };
  PerformanceObserver: new (callback: (list: { getEntries(): readonly { readonly detail?: { readonly kind?: number } }[] }) => void) => {
    observe(options: { entryTypes: readonly string[] }): void;
    disconnect(): void;
  };
  constants: { NODE_PERFORMANCE_GC_MAJOR: number };
};
type HeapModule = {
  getHeapStatistics(): {
    readonly used_heap_size: number;
    readonly total_heap_size: number;
    readonly heap_size_limit: number;
  };
};
/** What is asked of a process. */
export type NodeProcess = { getBuiltinModule?(name: string): unknown; memoryUsage: { rss(): number } };

/** How often the delay is measured; the histogram counts it as part of every delay. */
const RESOLUTION_MS = 20;

/** This process; undefined where it is none of Node's. */
export function openProcess(node = (globalThis as { process?: NodeProcess | undefined }).process): ProcessPort | undefined {
  const performance = node?.getBuiltinModule?.('node:perf_hooks') as PerformanceModule | undefined;
  const heap = node?.getBuiltinModule?.('node:v8') as HeapModule | undefined;
  if (node === undefined || performance === undefined || heap === undefined) return undefined;

  const delay = performance.monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let heapAfterGcBytes: number | undefined;
  const collections = new performance.PerformanceObserver((list) => {
    if (list.getEntries().some(({ detail }) => detail?.kind === performance.constants.NODE_PERFORMANCE_GC_MAJOR))
      heapAfterGcBytes = heap.getHeapStatistics().used_heap_size;
  });
  collections.observe({ entryTypes: ['gc'] });

  const p99 = (): number | undefined => (delay.count === 0 ? undefined : Math.max(0, delay.percentile(99) / 1e9 - RESOLUTION_MS / 1000));
  let lastMinute: number | undefined;
  return {
    read() {
      const { used_heap_size, total_heap_size, heap_size_limit } = heap.getHeapStatistics();
      return {
        eventLoopDelayP99Seconds: lastMinute ?? p99(),
        eventLoopUtilization: performance.performance.eventLoopUtilization().utilization,
        heapUsedBytes: used_heap_size,
        heapTotalBytes: total_heap_size,
        heapLimitBytes: heap_size_limit,
        heapAfterGcBytes,
        rssBytes: node.memoryUsage.rss(),
      };
    },
    nextMinute() {
      lastMinute = p99();
      delay.reset();
    },
    stop() {
      delay.disable();
      collections.disconnect();
    },
  };
}
