import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../core/fixtures/any-character.js';
import type { JournalEntry } from '../core/journal.js';
import { createLiveMetrics, MAX_METRIC_NAMES, type LiveState } from './live-metrics.js';
import { metricsText } from '../core/metrics-text.js';

type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };
type Page = { readonly samples: readonly Sample[]; readonly types: ReadonlyMap<string, string> };

/** A strict reader of the text format: anything but what the format allows throws. */
function readPage(text: string): Page {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  let family = '';
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.slice(0, -1).split('\n')) {
    const [, help] = /^# HELP ([a-z_]+) \S.*$/.exec(line) ?? [];
    if (help !== undefined) {
      if (types.has(help)) throw new Error(`${help} comes twice`);
      family = help;
      continue;
    }
    const [, typed, type] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) {
      if (typed !== family) throw new Error(`the type of ${typed} is not behind its help`);
      types.set(typed, type);
      continue;
    }
    const [, name, given, value] = /^([a-z_]+)(?:\{([^]*)\})? (-?[0-9.e+-]+|\+Inf|NaN)$/.exec(line) ?? [];
    if (name === undefined || name.replace(/_(bucket|sum|count)$/, '') !== family.replace(/_count$/, ''))
      throw new Error(`no sample of ${family}: ${line}`);
    samples.push({ name, labels: readLabels(given), value: Number(value) });
  }
  const keys = samples.map(({ name, labels }) => JSON.stringify([name, labels]));
  if (new Set(keys).size !== keys.length) throw new Error('a sample comes twice');
  return { samples, types };
}

function readLabels(text = ''): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [whole, key, value] = /^([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?!$)|$)/.exec(rest) ?? [];
    if (whole === undefined || key === undefined || value === undefined) throw new Error(`no label: ${rest}`);
    labels[key] = value.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
    rest = rest.slice(whole.length);
  }
  return labels;
}

const state: LiveState = {
  rules: 2,
  injected: 1,
  isKilled: false,
  busySessions: 3,
  openExchanges: 4,
  streams: 0,
  droppedEvents: 0,
  uptimeMs: 1500,
};
const ref = { session: 's', exchange: 1, method: 'tools/call' } as const;
const call = (tool: string, latencyMs = 10): JournalEntry => ({ kind: 'call', atMs: 1, outcome: 'ok', latencyMs, tool, ...ref });
const fault = (rule: string): JournalEntry => ({
  kind: 'fault',
  atMs: 1,
  rule,
  fault: rule,
  state: 'delivered',
  scope: 's',
  match: 1,
  ...ref,
});

const pageOf = (entries: readonly JournalEntry[], now: LiveState = state): Page => {
  const metrics = createLiveMetrics({ version: '1.2.3', transport: 'http', target: 'a "bank"\\\n' });
  for (const entry of entries) metrics.count(entry);
  return readPage(metricsText(metrics.families(now)));
};
const valuesOf = ({ samples }: Page, name: string): readonly (readonly [object, number])[] =>
  samples.filter((one) => one.name === name).map(({ labels, value }) => [labels, value] as const);

test('a page has every family with help and type, and counts what happened', () => {
  const control: JournalEntry = { kind: 'control', atMs: 1, what: 'kill', by: 'admin' };
  const page = pageOf([
    call('refund'),
    call('refund', 70_000),
    { ...call('echo'), outcome: 'http-error' } as JournalEntry,
    fault('slow'),
    control,
  ]);
  expect(valuesOf(page, 'toolquake_calls_total')).toEqual([
    [{ tool: 'refund', outcome: 'ok' }, 2],
    [{ tool: 'echo', outcome: 'http-error' }, 1],
  ]);
  expect(valuesOf(page, 'toolquake_faults_total')).toEqual([[{ rule: 'slow', fault: 'slow', state: 'delivered' }, 1]]);
  expect(valuesOf(page, 'toolquake_control_total')).toEqual([[{ what: 'kill' }, 1]]);
  expect(valuesOf(page, 'toolquake_build_info')).toEqual([[{ version: '1.2.3', transport: 'http', target: 'a "bank"\\\n' }, 1]]);
  expect(valuesOf(page, 'toolquake_exchanges_open')).toEqual([[{}, 4]]);
  expect(valuesOf(page, 'toolquake_call_duration_seconds_count')).toEqual([[{}, 3]]);
  expect(valuesOf(page, 'toolquake_call_duration_seconds_sum')[0]?.[1]).toBeCloseTo(70.02);
  expect(page.types.get('toolquake_call_duration_seconds')).toBe('histogram');
});

test('buckets are cumulative, end with +Inf, and agree with the count', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true })), (latencies) => {
      const buckets = valuesOf(pageOf(latencies.map((ms) => call('t', ms))), 'toolquake_call_duration_seconds_bucket');
      const values = buckets.map(([, value]) => value);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      expect(buckets.at(-1)).toEqual([{ le: '+Inf' }, latencies.length]);
      for (const [labels, value] of buckets.slice(0, -1)) {
        const bound = Number((labels as { le: string }).le);
        expect(value).toBe(latencies.filter((ms) => ms / 1000 <= bound).length);
      }
    }),
  );
});

test('any names survive the page, and no number of names makes it grow without end', () => {
  const name = fc.string({ unit: anyCharacter, maxLength: 40 });
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 8 }), (names) => {
      const labels = valuesOf(pageOf(names.map((one) => call(one))), 'toolquake_calls_total').map(
        ([one]) => (one as { tool: string }).tool,
      );
      expect(labels).toEqual(names);
    }),
  );
  const many = Array.from({ length: 10 * MAX_METRIC_NAMES }, (_, index) => [call(`t${index}`), fault(`r${index}`)]).flat();
  const page = pageOf([...many, call('x'.repeat(1000))]);
  for (const family of ['toolquake_calls_total', 'toolquake_faults_total']) {
    expect(valuesOf(page, family)).toHaveLength(MAX_METRIC_NAMES + 1);
  }
  expect(valuesOf(page, 'toolquake_calls_total').at(-1)).toEqual([{ tool: 'other', outcome: 'ok' }, 9 * MAX_METRIC_NAMES + 1]);
});

test('half a character in a name does not spoil the page', () => {
  const page = pageOf([call('half \ud83d'), call('half \ud83e'), call('half \udca5 more')]);
  expect(valuesOf(page, 'toolquake_calls_total').map(([one]) => one)).toMatchObject([
    { tool: 'half \ufffd' },
    { tool: 'half \ufffd more' },
  ]);
});

test('what nobody can tell is left out', () => {
  expect(valuesOf(pageOf([], { ...state, busySessions: undefined, openExchanges: undefined }), 'toolquake_exchanges_open')).toEqual([]);
});
