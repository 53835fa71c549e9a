import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createCatalogue, requirePlan, type Plan } from '@toolquake/sdk/core';
import { latency } from '@toolquake/sdk/faults';
import { readJournal } from './journal-file.js';
import { loadRun } from './load-run.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-run-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plan: Plan = requirePlan({ version: 1, seed: 5, rules: [{ id: 'slow', fault: 'latency' }] }, createCatalogue([latency]));
const nothing = { fired: new Map<string, number>(), calls: 0 };

test('a run writes its start with the first entry and its end with all rules, and says which never fired', async () => {
  const journalPath = join(folder, 'run.jsonl');
  const told: string[] = [];
  const run = await loadRun({ transport: 'stdio', plan, journalPath, target: 'bank', env: {}, tell: (line) => told.push(line) });
  await run.finish(nothing);
  const entries = await readJournal(journalPath);
  expect(entries).toEqual([
    expect.objectContaining({ kind: 'start', seed: 5, target: 'bank', rules: [{ id: 'slow', fault: 'latency' }] }),
    expect.objectContaining({ kind: 'end', fired: { slow: 0 }, calls: 0 }),
  ]);
  expect(told).toEqual(['0 of 1 rules fired (seed 5)', '  slow  latency  never fired']);
});

test('a guarded run has no rules left, and says why', async () => {
  const told: string[] = [];
  const run = await loadRun({ transport: 'http', plan, env: { ENVIRONMENT: 'production' }, tell: (line) => told.push(line) });
  expect(run.plan.rules).toEqual([]);
  expect(run.decider.isActive).toBe(false);
  expect(told).toEqual(['ENVIRONMENT says "production": nothing is injected, all traffic passes untouched.']);
});

test("a seed that is given takes the place of the plan's own", async () => {
  expect((await loadRun({ transport: 'stdio', plan, seed: 9, env: {}, tell: () => {} })).plan.seed).toBe(9);
});

test('the same mistake is told once and journalled every time', async () => {
  const journalPath = join(folder, 'problems.jsonl');
  const told: string[] = [];
  const run = await loadRun({ transport: 'stdio', journalPath, env: {}, tell: (line) => told.push(line) });
  for (let count = 0; count < 3; count++) run.onProblem(new TypeError('x is not a function'));
  await run.finish(nothing);
  expect((await readJournal(journalPath)).filter(({ kind }) => kind === 'problem')).toHaveLength(3);
  expect(told).toEqual(['our own mistake, the traffic goes on untouched: TypeError: x is not a function']);
});
