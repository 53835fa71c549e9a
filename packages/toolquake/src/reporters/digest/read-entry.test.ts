import fc from 'fast-check';
import { createSketch, startTally, type JournalEntry } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../fixtures/any-character.js';
import { readEntry } from './read-entry.js';

const ref = { session: 's', exchange: 1, method: 'tools/call' } as const;
const sketch = createSketch().toJSON();
const counts = { tasks: 1, failedTasks: 0, calls: 1, retries: 0, failedCalls: 0, refused: 0, inFlight: 0 };

/** One of each kind; the type makes sure that none is forgotten. */
const entries: { readonly [Kind in JournalEntry['kind']]: Extract<JournalEntry, { kind: Kind }> } = {
  start: { v: 1, kind: 'start', atMs: 0, transport: 'stdio', seed: 1, rules: [{ id: 'r', fault: 'hang' }] },
  fault: { kind: 'fault', atMs: 1, rule: 'r', fault: 'hang', state: 'delivered', scope: 's', match: 1, ...ref },
  call: { kind: 'call', atMs: 1, outcome: 'ok', latencyMs: 1, ...ref },
  task: {
    v: 1,
    kind: 'task',
    atMs: 9,
    task: 't',
    group: 'g',
    state: 'ended',
    startedAt: '2026-01-01T00:00:00Z',
    command: 'node',
    exitCode: 0,
  },
  control: {
    kind: 'control',
    atMs: 1,
    what: 'reload',
    by: 'admin',
    added: [{ id: 'r', fault: 'hang' }],
    removed: ['q'],
    lastsMs: 1,
    seed: 1,
  },
  boundary: { kind: 'boundary', atMs: 1, task: 't', state: 'ended', outcome: 'ok' },
  problem: { kind: 'problem', atMs: 1, message: 'm' },
  mark: { kind: 'mark', atMs: 1, mark: 'm', where: 'w' },
  sequence: { kind: 'sequence', atMs: 1, sequence: 's', marks: ['m'], sinceMs: 0 },
  change: { kind: 'change', atMs: 1, what: 'w', from: 1, to: 'x', isDisturbed: true },
  window: { kind: 'window', atMs: 1, lastsMs: 1, ...counts },
  level: { kind: 'level', atMs: 1, way: 'up', what: 'w', value: 1, failedShare: 0.5, tasks: 2 },
  summary: {
    kind: 'summary',
    atMs: 1,
    scenario: 's',
    variant: 'v',
    point: { a: 1 },
    seed: 1,
    tally: startTally(),
    deceivedTasks: 0,
    latency: { t: sketch },
    taskLatency: sketch,
    figures: { f: 1 },
    events: 1,
  },
  end: { kind: 'end', atMs: 1, fired: { r: 1 }, calls: 1 },
};

describe.each(Object.entries(entries))('a %s entry', (kind, entry) => {
  test('is read as it was written', () => {
    expect(readEntry(JSON.stringify(entry))).toEqual({ is: 'entry', entry });
  });

  test('without its time is refused', () => {
    const { atMs: _, ...rest } = entry;
    expect(readEntry(JSON.stringify(rest))).toEqual({ is: 'bad', problem: 'its "atMs" is not a time' });
  });

  test('whose values are something else is never trusted', () => {
    for (const key of Object.keys(entry).filter((one) => !['kind', 'v', 'id', 'scope', 'match'].includes(one))) {
      expect(readEntry(JSON.stringify({ ...entry, [key]: { odd: [null] } })).is, `${kind}.${key}`).toBe('bad');
    }
  });
});

test('the run of an entry is text or absent', () => {
  expect(readEntry(JSON.stringify({ ...entries.problem, run: 'a' }))).toMatchObject({ is: 'entry', entry: { run: 'a' } });
  expect(readEntry(JSON.stringify({ ...entries.problem, run: 7 }))).toMatchObject({ is: 'bad' });
});

test('kinds of a later version are passed over; another version of the journal is not', () => {
  expect(readEntry('{"kind":"verdict","atMs":1}')).toEqual({ is: 'unknown' });
  expect(readEntry('{"kind":"toString","atMs":1}')).toEqual({ is: 'unknown' });
  expect(readEntry('{"kind":"start","v":2}')).toMatchObject({ is: 'other-version' });
});

test('no text makes it throw', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: anyCharacter })), (text) => void readEntry(text)));
});
