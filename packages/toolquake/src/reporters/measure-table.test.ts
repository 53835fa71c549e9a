import type { JournalEntry } from '@toolquake/sdk/core';
import { expect, test } from 'vitest';
import { renderConsole } from './console.js';
import { coverageOf, coverageText } from './coverage.js';
import { PLAIN } from './figures.js';
import { createDigest, type Digest } from './journal-digest.js';
import { measureTables } from './measure-table.js';

const ref = { session: 's', exchange: 1, method: 'tools/call' } as const;
const rules = [
  { id: 'a', fault: 'hang' },
  { id: 'b', fault: 'hang' },
  { id: 'off', fault: 'latency', isEnabled: false as const },
];

/** A run for each server, with two tools, one of which met a fault. */
function digestOf(servers: readonly string[]): Digest {
  const digest = createDigest();
  for (const target of servers) {
    const entries: readonly JournalEntry[] = [
      { v: 1, kind: 'start', atMs: 0, transport: 'stdio', seed: 1, rules, target, startedAt: '2026-01-01T00:00:00.000Z' },
      { kind: 'fault', atMs: 1, rule: 'a', fault: 'hang', state: 'delivered', scope: 's', match: 1, ...ref, tool: 'pay' },
      { kind: 'call', atMs: 2, outcome: 'no-answer', latencyMs: 1, operation: 'x', ...ref, tool: 'pay', faults: ['a'] },
      { kind: 'call', atMs: 3, outcome: 'ok', latencyMs: 1, operation: 'y', ...ref, tool: 'look' },
      { kind: 'end', atMs: 4, fired: { a: 1, b: 0 }, calls: 2 },
    ];
    for (const entry of entries) digest.add(entry);
  }
  return digest.result();
}

test('every server is a column, and wide tables are cut', () => {
  const { tasks } = digestOf(['a', 'b', 'c']);
  expect(measureTables(tasks!).map(({ head }) => head)).toEqual([['measure', '', 'a', 'b', 'c', 'all']]);
  expect(measureTables(tasks!, 3).map(({ head }) => head.slice(2))).toEqual([['a', 'b', 'c'], ['all']]);
  expect(measureTables(digestOf(['a']).tasks!).map(({ head }) => head.slice(2))).toEqual([['a']]);
});

test('every measure has a value or n/a', () => {
  for (const { head, rows } of measureTables(digestOf(['a', 'b']).tasks!)) {
    for (const row of rows) expect(row).toHaveLength(head.length);
    for (const row of rows) for (const cell of row.slice(2)) expect(cell).not.toBe('');
  }
});

test('lines for a terminal keep to its width', () => {
  const text = renderConsole(digestOf(['a', 'b', 'c', 'd', 'e', 'f']), { subject: 'x', paint: PLAIN });
  const measures = text.slice(text.indexOf('\nTasks\n'), text.indexOf('\n  task '));
  for (const line of measures.split('\n')) expect(line.length, line).toBeLessThanOrEqual(130);
});

test('coverage says which rules fired and which tools were reached, and leaves out rules that are off', () => {
  const digest = digestOf(['a', 'b']);
  expect(coverageOf(digest)).toEqual({
    rules: { fired: 1, of: 2 },
    tools: { faulted: 1, of: 2 },
    pairs: [{ fault: 'hang', tool: 'pay', count: 2 }],
  });
  expect(coverageText(digest)).toBe('Coverage: 1 of 2 rules fired, 1 of 2 tools met a fault: hang on pay (2).');
  expect(coverageText(createDigest().result())).toBeUndefined();
});
