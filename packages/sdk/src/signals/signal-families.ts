/** Signals as metric families for Prometheus, by OpenTelemetry's names where it has one. Pure. */
import type { MetricFamily } from '../core/metrics-text.js';
import { poolFamilies } from './pools.js';
import type { SignalState } from './signal-state.js';

/** All families; what cannot be known here is left out, never 0. */
export function signalFamilies({
  book,
  sessions,
  inFlight,
  problems,
  uptimeSeconds,
  process,
  growthPerHour,
  pools,
}: SignalState): readonly MetricFamily[] {
  const one =
    (type: 'gauge' | 'counter') =>
    (name: string, help: string, value: number | undefined): readonly MetricFamily[] =>
      value === undefined ? [] : [{ name, help, type, samples: [{ value }] }];
  const gauge = one('gauge');
  const counter = one('counter');
  return [
    book.family(),
    ...gauge('mcp_server_operations_in_flight', 'Requests that wait for their answer.', inFlight),
    ...gauge('mcp_server_sessions_active', 'Sessions of the legacy era that are open.', sessions.active),
    ...counter('mcp_server_sessions_total', 'Sessions of the legacy era since the start.', sessions.total),
    ...counter('mcp_server_session_seconds_total', 'Time that ended sessions lasted, added up.', sessions.seconds),
    ...gauge(
      'nodejs_eventloop_delay_p99_seconds',
      'How late the event loop was, over the last full minute.',
      process?.eventLoopDelayP99Seconds,
    ),
    ...gauge('nodejs_eventloop_utilization_ratio', 'Share of the time that the event loop was busy.', process?.eventLoopUtilization),
    ...gauge('v8js_memory_heap_used_bytes', 'Heap in use.', process?.heapUsedBytes),
    ...gauge('v8js_memory_heap_after_gc_bytes', 'Heap in use after the last major collection.', process?.heapAfterGcBytes),
    ...gauge('v8js_memory_heap_limit_bytes', 'What the heap may grow to.', process?.heapLimitBytes),
    ...gauge('process_memory_usage_bytes', 'Resident memory.', process?.rssBytes),
    ...gauge(
      'process_memory_growth_ratio_per_hour',
      'Growth of resident memory in an hour, as a share; known after 3.5 hours.',
      growthPerHour,
    ),
    ...poolFamilies(pools),
    ...gauge('mcp_server_uptime_seconds', 'Time since signals are taken.', uptimeSeconds),
    ...counter('mcp_server_signal_problems_total', 'Mistakes while signals were taken; the calls went on.', problems),
  ];
}
