import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historyOf, runsOf } from './sample-book.js';
import { parseSampleLine, sampleText, type RunStart, type SampleFileLine } from './sample-line.js';

const start = (run: string, more: Partial<RunStart> = {}): RunStart => ({
  v: 1,
  kind: 'start',
  run,
  startedAt: '2026-11-18T00:00:00Z',
  target: 'shop',
  runner: 'linux-x64-2',
  calls: [{ tool: 'search', key: '{}' }],
  paceMs: 0,
  ...more,
});
const sample = (run: string, latencyMs: number, side: 'candidate' | 'baseline' | 'calibration' = 'candidate'): SampleFileLine => ({
  v: 1,
  kind: 'sample',
  run,
  tool: 'search',
  side,
  latencyMs,
  atMs: 0,
  stage: 1,
  block: 0,
});
const whole = (run: string, more: Partial<RunStart> = {}): SampleFileLine[] => [
  start(run, more),
  sample(run, 5),
  { v: 1, kind: 'end', run },
];

describe('a line of samples', () => {
  test('reads as it was written', () => {
    for (const line of whole('a', { changePoint: 'new database' })) expect(parseSampleLine(sampleText(line))).toEqual(line);
  });

  test.each([
    ['{', 'is no JSON'],
    ['[]', 'is no JSON object'],
    ['{"v":2,"run":"a"}', 'has version 2, and this Toolquake reads version 1'],
    ['{"v":1,"kind":"end"}', 'needs "run", a text'],
    ['{"v":1,"run":"a","kind":"sample","tool":"x","side":"candidate","latencyMs":0}', 'needs "latencyMs", a number above 0'],
    ['{"v":1,"run":"a","kind":"sample","tool":"x","side":"left","latencyMs":1}', 'needs "side": baseline, candidate or calibration'],
    ['{"v":1,"run":"a","kind":"what"}', 'has an unknown "kind": "what"'],
    ['{"v":1,"run":"a","kind":"start","target":"t","runner":"r","startedAt":"s","calls":[{}]}', 'needs "calls", a list of {tool, key}'],
  ])('%s %s', (text, problem) => {
    expect(parseSampleLine(text)).toBe(problem);
  });

  test('hostile text is a problem or a line, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['string', 'object']).toContain(typeof parseSampleLine(text));
      }),
    );
  });
});

describe('the runs of a file', () => {
  test('are told apart though their lines are mixed', () => {
    const runs = runsOf([
      start('a'),
      start('b'),
      sample('a', 1),
      sample('b', 2),
      sample('a', 3),
      sample('b', 9, 'calibration'),
      { v: 1, kind: 'end', run: 'a' },
    ]);
    expect(runs.map(({ latencies }) => latencies.get('search'))).toEqual([[1, 3], [2]]);
    expect(runs.map(({ isComplete }) => isComplete)).toEqual([true, false]);
    expect(runs[1]!.calibration).toEqual([9]);
  });

  test('are history when whole, of the same machines and the same call, since the last change of level', () => {
    const lines = [
      ...whole('old'),
      ...whole('other machine', { runner: 'darwin-arm64-8' }),
      ...whole('other call', { calls: [{ tool: 'search', key: '{"q":1}' }] }),
      ...whole('changed', { changePoint: 'new database' }),
      ...whole('newest'),
      start('interrupted'),
      sample('interrupted', 5),
    ];
    expect(historyOf(runsOf(lines), { tool: 'search', key: '{}' }, 'linux-x64-2')).toHaveLength(2);
  });
});
