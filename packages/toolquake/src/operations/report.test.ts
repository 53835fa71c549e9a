/** One report for one set of runs, however their entries lie in files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journalLine, type JournalEntry } from '@toolquake/sdk/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderJson } from '../reporters/json.js';
import { digestJournals } from './report.js';

type Lines = readonly JournalEntry[];

const BASE_MS = Date.parse('2026-01-01T00:00:00.000Z');
const at = (ms: number): string => new Date(BASE_MS + ms).toISOString();
const word = fc.constantFrom('a', 'b');
const maybe = fc.option(word, { nil: undefined });
const rules = [{ id: 'once', fault: 'hang' }];

const anyCall = fc.record({
  atMs: fc.integer({ min: 100, max: 90_000 }),
  session: word,
  tool: word,
  operation: word,
  outcome: fc.constantFrom('ok' as const, 'rpc-error' as const, 'cancelled' as const),
  task: maybe,
  trace: maybe,
  isFaulted: fc.boolean(),
  isTimedOut: fc.boolean(),
  isConformant: fc.option(fc.boolean(), { nil: undefined }),
});

/** A run as a proxy would write it; some were killed before their end. */
const anyRun = (id: string): fc.Arbitrary<Lines> =>
  fc
    .record({
      startMs: fc.nat(60_000),
      target: word,
      startedFor: maybe,
      calls: fc.array(anyCall, { maxLength: 6 }),
      hasEnded: fc.boolean(),
    })
    .map(({ startMs, target, startedFor, calls, hasEnded }): Lines => {
      const about = { transport: 'http', seed: 1, rules, group: 'g', run: id } as const;
      const task = startedFor === undefined ? {} : { task: startedFor };
      const sorted = calls.toSorted((one, other) => one.atMs - other.atMs);
      const entries = sorted.flatMap(({ isFaulted, task: named, trace, isTimedOut, isConformant, ...call }, index): Lines => {
        const ref = { session: call.session, exchange: index, method: 'tools/call', tool: call.tool, run: id };
        const hit = {
          kind: 'fault',
          atMs: call.atMs,
          rule: 'once',
          fault: 'hang',
          state: 'delivered',
          scope: 's',
          match: 1,
          ...ref,
        } as const;
        const entry: JournalEntry = {
          kind: 'call',
          ...ref,
          ...call,
          latencyMs: 50,
          ...(named === undefined ? {} : { task: named }),
          ...(trace === undefined ? {} : { trace }),
          ...(isConformant === undefined ? {} : { isConformant }),
          ...(isTimedOut ? { isTimedOut } : {}),
          ...(isFaulted ? { faults: ['once'] } : {}),
        };
        return isFaulted ? [hit, entry] : [entry];
      });
      const end: JournalEntry = {
        kind: 'end',
        atMs: 95_000,
        fired: { once: calls.filter(({ isFaulted }) => isFaulted).length },
        calls: calls.length,
        run: id,
      };
      return [{ v: 1, kind: 'start', atMs: 0, ...about, target, startedAt: at(startMs), ...task }, ...entries, ...(hasEnded ? [end] : [])];
    });

const anyTask: fc.Arbitrary<Lines> = fc
  .record({ task: word, startMs: fc.nat(60_000), lastsMs: fc.option(fc.nat(60_000), { nil: undefined }) })
  .map(({ task, startMs, lastsMs }): Lines => {
    const about = { v: 1, kind: 'task', task, group: 'g', startedAt: at(startMs), command: 'agent' } as const;
    return [
      { ...about, atMs: 0, state: 'started' },
      ...(lastsMs === undefined ? [] : [{ ...about, atMs: lastsMs, state: 'ended', exitCode: 0 } as const]),
    ];
  });

/** Every process in one of some files, the lines of each in order among those of the others. */
const layoutOf = (processes: readonly Lines[]): fc.Arbitrary<readonly Lines[]> =>
  fc
    .record({
      files: fc.array(fc.nat(2), { minLength: processes.length, maxLength: processes.length }),
      order: fc.shuffledSubarray(
        processes.flatMap((lines, index) => lines.map(() => index)),
        { minLength: processes.reduce((sum, lines) => sum + lines.length, 0) },
      ),
    })
    .map(({ files, order }) => {
      const next = processes.map(() => 0);
      const laid: JournalEntry[][] = [[], [], []];
      for (const index of order) laid[files[index]!]!.push(processes[index]![next[index]!++]!);
      return laid.filter((lines) => lines.length > 0);
    });

/** The report with every list in one order, and without what is about files. */
async function reportOf(files: readonly Lines[], options: { readonly isReversed: boolean; readonly torn: string }): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-merge-'));
  const paths = files.map((lines, index) => {
    const path = join(folder, `${options.isReversed ? 9 - index : index}.jsonl`);
    writeFileSync(path, lines.map(journalLine).join('') + options.torn);
    return path;
  });
  try {
    const digest = await digestJournals({ paths: options.isReversed ? paths.toReversed() : [folder] });
    expect(digest.torn).toBe(options.torn === '' ? 0 : files.length);
    return ordered({ ...(JSON.parse(renderJson(digest)) as object), torn: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, part]) => [key, ordered(part)]),
  );
}

test('the report is the same for every order of files, every spread of runs over files, and torn last lines', async () => {
  const anyProcesses = fc
    .tuple(
      fc.integer({ min: 1, max: 4 }).chain((count) => fc.tuple(...['r1', 'r2', 'r3', 'r4'].slice(0, count).map(anyRun))),
      fc.array(anyTask, { maxLength: 2 }),
    )
    .map(([runs, tasks]) => [
      ...runs,
      ...tasks.map((task, index) => task.map((entry) => ({ ...entry, task: `w${index}` }) as JournalEntry)),
    ]);
  await fc.assert(
    fc.asyncProperty(
      anyProcesses.chain((processes) => fc.tuple(fc.constant(processes), layoutOf(processes))),
      fc.boolean(),
      fc.constantFrom('', '{"kind":"ca'),
      async ([processes, layout], isReversed, torn) => {
        // A file of its own for each process is how proxies of a run directory write.
        const apart = await reportOf(processes, { isReversed: false, torn: '' });
        expect(await reportOf(layout, { isReversed, torn })).toEqual(apart);
      },
    ),
    { numRuns: 60 },
  );
});

test('an entry whose run never began or is over is left out and told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-merge-'));
  const path = join(folder, 'a.jsonl');
  const start: JournalEntry = { v: 1, kind: 'start', atMs: 0, transport: 'stdio', seed: 1, rules: [], run: 'a' };
  const stray: JournalEntry = { kind: 'problem', atMs: 1, message: 'stray', run: 'b' };
  writeFileSync(path, [start, stray, { ...stray, run: 'a', message: 'own' }].map(journalLine).join(''));
  const { problems, skipped } = await digestJournals({ paths: [path] });
  expect(problems).toEqual([{ text: 'own', count: 1 }]);
  expect(skipped).toMatchObject({ count: 1, first: [{ problem: 'it belongs to no run that was going on' }] });
  rmSync(folder, { recursive: true });
});
