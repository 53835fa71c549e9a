/**
 * Counters of a running proxy, from the journal entries that it makes anyway. Names come from clients, servers and
 * callers, so there is a bound to how many are told apart: all further ones share the label `other`.
 */
import type { JournalEntry, JournalSink } from '../core/journal.js';
import { createLabelNames } from '../core/label-names.js';
import type { MetricFamily, MetricLabels } from '../core/metrics-text.js';

/** What counters cannot know: the state of the moment. Absent: not known here. */
export type LiveState = {
  readonly rules: number;
  readonly injected: number;
  readonly isKilled: boolean;
  readonly busySessions?: number | undefined;
  readonly openExchanges?: number | undefined;
  readonly streams: number;
  readonly droppedEvents: number;
  readonly uptimeMs: number;
};

/** See the module comment. */
export type LiveMetrics = {
  readonly count: JournalSink;
  /** Everything, with the state of the moment. */
  families(state: LiveState): readonly MetricFamily[];
};

/** More tools or rules than this share the label `other`. */
export const MAX_METRIC_NAMES = 100;
const OTHER = 'other';

/** Upper bounds in seconds: from a cache to the default deadline of a call, and over. */
const BOUNDS_SECONDS: readonly number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A counter by labels, in the order in which they were first seen. */
function createCounts(): { add(labels: MetricLabels, by?: number): void; samples(): { labels: MetricLabels; value: number }[] } {
  const held = new Map<string, { labels: MetricLabels; value: number }>();
  return {
    add(labels, by = 1) {
      const key = JSON.stringify(labels);
      const sample = held.get(key);
      if (sample === undefined) held.set(key, { labels, value: by });
      else sample.value += by;
    },
    samples: () => [...held.values()],
  };
}

/** Counters at zero. `about` says what runs here. */
export function createLiveMetrics(about: MetricLabels): LiveMetrics {
  const calls = createCounts();
  const faults = createCounts();
  const control = createCounts();
  const tools = createLabelNames(MAX_METRIC_NAMES, OTHER);
  const rules = createLabelNames(MAX_METRIC_NAMES, OTHER);
  const kinds = createLabelNames(MAX_METRIC_NAMES, OTHER);
  const buckets = BOUNDS_SECONDS.map(() => 0);
  let callCount = 0;
  let seconds = 0;
  let problems = 0;

  const countCall = ({ tool, outcome, latencyMs }: Extract<JournalEntry, { kind: 'call' }>): void => {
    calls.add({ tool: tools(tool ?? ''), outcome });
    const latency = Math.max(0, latencyMs) / 1000;
    callCount++;
    seconds += latency;
    const index = BOUNDS_SECONDS.findIndex((bound) => latency <= bound);
    if (index >= 0) buckets[index]!++;
  };

  const durationFamily = (): MetricFamily => {
    let sum = 0;
    const cumulative = BOUNDS_SECONDS.map((bound, index) => ({ le: String(bound), value: (sum += buckets[index]!) }));
    return {
      name: 'toolquake_call_duration_seconds',
      help: 'Time from a tool call to what its caller saw.',
      type: 'histogram',
      samples: [
        ...[...cumulative, { le: '+Inf', value: callCount }].map(({ le, value }) => ({
          suffix: '_bucket' as const,
          labels: { le },
          value,
        })),
        { suffix: '_sum', value: seconds },
        { suffix: '_count', value: callCount },
      ],
    };
  };

  return {
    count(entry) {
      if (entry.kind === 'call') countCall(entry);
      else if (entry.kind === 'fault') faults.add({ rule: rules(entry.rule), fault: kinds(entry.fault), state: entry.state });
      else if (entry.kind === 'control') control.add({ what: entry.what });
      else if (entry.kind === 'problem') problems++;
    },
    families(state) {
      const counter = (name: string, help: string, samples: MetricFamily['samples']): MetricFamily => ({
        name,
        help,
        type: 'counter',
        samples,
      });
      const gauge = (name: string, help: string, value: number | undefined, labels?: MetricLabels): readonly MetricFamily[] =>
        value === undefined ? [] : [{ name, help, type: 'gauge', samples: [{ value, ...(labels === undefined ? {} : { labels }) }] }];
      return [
        ...gauge('toolquake_build_info', 'What runs here; always 1.', 1, about),
        ...gauge('toolquake_uptime_seconds', 'Time since the proxy started.', state.uptimeMs / 1000),
        counter('toolquake_calls_total', 'Tool calls by tool and by what their callers saw.', calls.samples()),
        durationFamily(),
        counter(
          'toolquake_faults_total',
          'Faults by rule and by what came of them: delivered, suppressed, not-delivered.',
          faults.samples(),
        ),
        counter('toolquake_control_total', 'Changes of the rules while the proxy runs.', control.samples()),
        counter('toolquake_problems_total', 'Mistakes of our own; the traffic goes on.', [{ value: problems }]),
        counter('toolquake_events_dropped_total', 'Entries that listeners were too slow for.', [{ value: state.droppedEvents }]),
        ...gauge('toolquake_event_streams', 'Listeners to live events.', state.streams),
        ...gauge('toolquake_rules_active', 'Rules of the plan that are on.', state.rules),
        ...gauge('toolquake_injected_rules_active', 'Rules that were injected and are still there.', state.injected),
        ...gauge('toolquake_killed', '1 while the kill switch is pulled.', state.isKilled ? 1 : 0),
        ...gauge('toolquake_sessions_busy', 'Sessions that wait for an answer.', state.busySessions),
        ...gauge('toolquake_exchanges_open', 'Requests that wait for an answer.', state.openExchanges),
      ];
    },
  };
}
