/** `toolquake simulate`: plans and seeds on virtual time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { binPath, freshFolder, toolquake } from './toolquake.js';

function planFile(text: string): string {
  const file = path.join(freshFolder(), 'plan.yaml');
  writeFileSync(file, text);
  return file;
}

const PLAN = `version: 1
seed: 7
rules:
  - id: slow-reads
    fault: latency
    params: { addedMs: 4000 }
    when: { tool: "get_*" }
    probability: 0.1
  - id: bad-minute
    fault: error-response
    shape: { burst: { rate: 0.02, meanLength: 16 } }
`;

type Report = {
  seed: number;
  random: string;
  rows: {
    name: string;
    blastRadius: { mean: number; interval: { low: number; high: number } | null };
    stuckSeeds: number;
    fired: Record<string, number>;
  }[];
  neverFired: string[];
};
const reportOf = (...words: string[]): Report => JSON.parse(toolquake(['simulate', '--json', ...words]).stdout) as Report;

test('runs the headline over 50 seeds as published', () => {
  const { rows } = reportOf('--seed', '0', '--seeds', '50');
  expect(rows.map(({ blastRadius }) => blastRadius.mean.toFixed(4))).toEqual(['0.1507', '0.0001']);
  const { low, high } = rows[0]!.blastRadius.interval!;
  // The paper value lies in the interval that the seeds give.
  expect(low < 0.1492 && 0.1492 < high).toBe(true);
});

test('runs the flat plans of older tools as published: episodes on two tools', () => {
  const file = planFile(
    'seed: 0\nfaults:\n  - { type: server_degradation, tools: [describe_service, check_dependency], episode_rate: 0.08, episode_len: 20 }\n',
  );
  const { rows } = reportOf(file, '--seeds', '50', '--random', 'mersenne');
  expect(rows.map(({ blastRadius }) => blastRadius.mean.toFixed(4))).toEqual(['0.0980', '0.1007']);
});

test('a plan starts at its own seed, with keyed draws, and tells how often each rule fired', () => {
  const file = planFile(PLAN);
  const report = reportOf(file);
  expect([report.seed, report.random, report.neverFired]).toEqual([7, 'keyed', []]);
  for (const { fired } of report.rows) expect(Object.keys(fired)).toEqual(['slow-reads', 'bad-minute']);
  const { code, stdout } = toolquake(['simulate', file]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/slow-reads +latency +\d+ +\d+\n/);
});

test('the same seed makes the same journal, byte for byte, and another seed another', () => {
  const file = planFile(PLAN);
  const journalOf = (...words: string[]): string => {
    const journal = path.join(freshFolder(), 'run.jsonl');
    toolquake(['simulate', file, '--journal', journal, ...words]);
    return readFileSync(journal, 'utf8');
  };
  const first = journalOf();
  expect(first.split('\n').length).toBeGreaterThan(3000);
  expect(journalOf()).toBe(first);
  expect(journalOf('--seed', '8')).not.toBe(first);
});

test.each([
  ['on', ['with resilience']],
  ['off', ['no resilience']],
  ['both', ['no resilience', 'with resilience']],
])('--resilience %s', (word, names) => {
  expect(reportOf('--resilience', word, '--tasks', '20').rows.map(({ name }) => name)).toEqual(names);
});

test('a rule that never fired is no pass', () => {
  const file = planFile(`${PLAN}  - { id: nobody, fault: hang, when: { tool: no_such_tool } }\n`);
  const { code, stdout, stderr } = toolquake(['simulate', file]);
  expect(code).toBe(4);
  expect(stdout).toMatch(/nobody +hang +never +never\n/);
  expect(stderr).toContain('"nobody" never fired');
});

test('the bounds of a plan are held against the best defence that was simulated', () => {
  const file = planFile(`${PLAN}expect: { measures: { blastRadius: { max: 0.5 }, tcsr: { min: 0.999 } } }\n`);
  const { code, stdout } = toolquake(['simulate', file]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/not met: tcsr \(per call\) is 0\.\d+ with resilience, expected at least 0\.999\./);
  expect(stdout).not.toContain('not met: blastRadius');
});

test('a bound per operation is held against what the table shows, and does not claim to be per call', () => {
  const file = planFile(`${PLAN}expect: { measures: { tcsrCompat: { min: 1 }, blastRadius: { min: 1 } } }\n`);
  const { stdout } = toolquake(['simulate', file]);
  expect(stdout).toMatch(/not met: tcsrCompat is 0\.\d+ with resilience/);
  expect(stdout).toMatch(/not met: blastRadius is 0/);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends many short runs, exit 130, no result', async (signal) => {
  const journal = path.join(freshFolder(), 'run.jsonl');
  const words = ['simulate', '--seeds', '100000', '--tasks', '50', '--journal', journal];
  const child = spawn(process.execPath, [binPath, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'exit');
  // The journal shows that runs are under way, so the signal meets a listener.
  while (!existsSync(journal) || readFileSync(journal, 'utf8') === '') await setImmediate();
  child.kill(signal);
  expect(await ended).toEqual([130, null]);
  expect(printed).toBe('');
});

test('the last seeds that exist are simulated', () => {
  expect(toolquake(['simulate', '--seed', `${Number.MAX_SAFE_INTEGER - 1}`, '--seeds', '2']).stdout).toContain(
    'seeds 9007199254740990 to 9007199254740991',
  );
});

describe('bad input: exit 2, nothing written', () => {
  test.each([
    [['--seeds', '0'], 'The nearest allowed value is 1.'],
    [['--random', 'mersene'], 'Did you mean "mersenne"?'],
    [['--resilience', 'yes'], '--resilience must be on or off or both, not "yes".'],
    [
      ['--seed', `${Number.MAX_SAFE_INTEGER}`, '--seeds', '3'],
      'There are no 3 seeds from 9007199254740991 on: the largest seed is 9007199254740991.\nThe nearest allowed value for this many seeds is --seed 9007199254740989.',
    ],
    [['--era', 'old'], '--era must be legacy or modern'],
    [['no-such-plan.yaml'], 'no-such-plan.yaml'],
    [['PLAN', '--rate', '0.5'], 'Leave out --rate, or the file.'],
  ])('%j', (words, advice) => {
    const folder = freshFolder();
    const given = words.map((word) => (word === 'PLAN' ? planFile(PLAN) : word));
    const { code, stdout, stderr } = toolquake([
      'simulate',
      ...given,
      '--out',
      path.join(folder, 'out'),
      '--journal',
      path.join(folder, 'journal'),
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(advice);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a fault that does not exist in the simulated era, unless its rule is off', () => {
    const text = 'rules:\n  - { id: gone, fault: session-lost }\n  - { id: slow, fault: latency }\n';
    const { code, stdout, stderr } = toolquake(['simulate', planFile(text), '--era', 'modern']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Rule "gone": the fault session-lost cannot act in the modern era.\nIt works in: legacy.');
    expect(toolquake(['simulate', planFile(text), '--era', 'legacy']).code).toBe(0);
    expect(toolquake(['simulate', planFile(text.replace('session-lost', 'session-lost, enabled: false')), '--era', 'modern']).code).toBe(0);
  });

  test('a bound on a measure that does not exist', () => {
    const { code, stderr } = toolquake(['simulate', planFile(`${PLAN}expect: { measures: { blastradius: { max: 0.5 } } }\n`)]);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean "blastRadius"?');
  });
});
