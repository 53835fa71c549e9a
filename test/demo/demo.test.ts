/** `toolquake demo`, as somebody sees it in the first minute. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder, toolquake } from './toolquake.js';

const HEADLINE = `toolquake demo  what failing tool calls do to an agent's tasks

  200 tasks of 8 tool calls each; every call fails with probability 0.02; seed 42

                    TCAF   TCSR    ETA   calls   blast radius   on paper
  no resilience      8.0   0.98   0.98    1600           0.12   0.15 (0.10 to 0.20)
  with resilience    8.0   1.00   1.00    1626           0.00   <0.01 (0.00 to 0.00)

  1.6 % of calls failed, and that failed 12 % of tasks: failures add up over the fan-out.
  Retries, graceful degradation and an ETA-aware breaker leave 0 %, for 26 more calls.
  On paper: the share of failed tasks expected, and where 95 % of runs of 200 tasks end up.

  Next: shake your own server: toolquake proxy stdio --plan plan.yaml -- node server.js
`;

type Report = {
  rows: {
    name: string;
    calls: number;
    measures: Record<string, number | null>;
    analytic: { blastRadius: number; interval: { low: number; high: number } };
    fired: Record<string, number>;
  }[];
};
const reportOf = (...words: string[]): Report => JSON.parse(toolquake(['demo', '--json', ...words]).stdout) as Report;

test('shows the headline, the same for everybody', () => {
  expect(toolquake(['demo'])).toEqual({ code: 0, stdout: HEADLINE, stderr: '' });
});

test('is plain without a terminal, coloured when told, and plain again when NO_COLOR says so', () => {
  const coloured = toolquake(['demo'], { FORCE_COLOR: '1' }).stdout;
  // eslint-disable-next-line no-control-regex -- escape sequences are what this looks for
  expect(coloured.replace(/\u001b\[[0-9;]*m/g, '')).toBe(HEADLINE);
  expect(coloured).not.toBe(HEADLINE);
  expect(toolquake(['demo'], { FORCE_COLOR: '1', NO_COLOR: '1' }).stdout).toBe(HEADLINE);
  expect(toolquake(['demo', '--no-color'], { FORCE_COLOR: '1' }).stdout).toBe(HEADLINE);
});

describe('the knobs move result and paper together', () => {
  test.each([
    ['--rate', '0.05'],
    ['--rate', '0.2'],
    ['--fanout', '20'],
    ['--tasks', '2000'],
    ['--seed', '7'],
  ])('%s %s', (flag, value) => {
    const { rows } = reportOf(flag, value);
    for (const { measures, analytic } of rows) {
      const { low, high } = analytic.interval;
      expect(measures['blastRadius']).toBeGreaterThanOrEqual(low);
      expect(measures['blastRadius']).toBeLessThanOrEqual(high);
    }
    expect(rows[0]?.measures['tcaf']).toBe(flag === '--fanout' ? 20 : 8);
    expect(rows[0]?.analytic.blastRadius).toBeCloseTo(
      1 - (1 - (flag === '--rate' ? Number(value) : 0.02)) ** (flag === '--fanout' ? 20 : 8),
      12,
    );
  });
});

test('prints every measure as JSON, and null where one cannot be known', () => {
  const { rows } = reportOf('--rate', '0');
  expect(rows.map(({ name }) => name)).toEqual(['no resilience', 'with resilience']);
  expect(rows[0]?.measures).toMatchObject({ tcsr: 1, tcaf: 8, blastRadius: 0, retryAmplificationFaulted: null });
});

test('a rate of 0 is a baseline and says so', () => {
  const { code, stdout } = toolquake(['demo', '--rate', '0']);
  expect(code).toBe(0);
  expect(stdout).toContain('No call failed, because --rate is 0: this is the baseline.');
});

test('a rate at which nothing happened to fail is no pass', () => {
  const { code, stdout, stderr } = toolquake(['demo', '--rate', '0.0001']);
  expect(code).toBe(4);
  expect(stdout).toContain('Next: give chance a chance: toolquake demo --rate 0.0001 --fanout 8 --tasks 12500\n');
  expect(stderr).toContain('No call failed');
});

test.each([
  [['--rate', '0.0001', '--fanout', '1', '--tasks', '1'], 'give chance a chance: toolquake demo --rate 0.0001 --fanout 1 --tasks 100000'],
  [['--rate', '1e-9', '--fanout', '3'], 'let more calls fail: toolquake demo --rate 0.02 --fanout 3 --tasks 200'],
  [['--rate', '1e-9', '--fanout', '1', '--tasks', '1'], 'let more calls fail: toolquake demo --rate 1 --fanout 1 --tasks 1'],
])('%j: what it advises is allowed, and shows something', (words, advice) => {
  const { code, stdout } = toolquake(['demo', ...words]);
  expect(code).toBe(4);
  expect(stdout).toContain(`Next: ${advice}\n`);
  expect(toolquake(advice.split(' toolquake ')[1]!.split(' ')).code).toBe(0);
});

test('extremes end: everything fails, one call, one task', () => {
  expect(toolquake(['demo', '--rate', '1', '--tasks', '3000']).stdout).toContain('1.00 (1.00 to 1.00)');
  expect(toolquake(['demo', '--tasks', '1', '--fanout', '1', '--rate', '1']).code).toBe(0);
});

describe('bad input: what is wrong, the nearest good value, exit 2, nothing written', () => {
  test.each([
    ['--rate', '2', 'The nearest allowed value is 1.'],
    ['--rate', '-0.5', 'The nearest allowed value is 0.'],
    ['--rate', 'NaN', 'For example: --rate 0.02'],
    ['--tasks', '0', 'The nearest allowed value is 1.'],
    ['--tasks', '1.5', 'The nearest allowed value is 2.'],
    ['--fanout', '0', 'The nearest allowed value is 1.'],
    ['--seed', '-1', 'The nearest allowed value is 0.'],
    ['--seed', '1e300', `The nearest allowed value is ${Number.MAX_SAFE_INTEGER}.`],
    ['--rte', '1', 'Did you mean --rate?'],
  ])('%s %s', (flag, value, advice) => {
    const folder = freshFolder();
    const { code, stdout, stderr } = toolquake([
      'demo',
      flag,
      value,
      '--out',
      path.join(folder, 'out'),
      '--journal',
      path.join(folder, 'journal'),
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(flag);
    expect(stderr).toContain(advice);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('--out writes the result to a file, without colours', () => {
  const out = path.join(freshFolder(), 'demo.txt');
  expect(toolquake(['demo', '--out', out], { FORCE_COLOR: '1' })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(out, 'utf8')).toBe(HEADLINE);
});

test.each(['--out', '--journal'])('%s into a folder that does not exist is the world, exit 3', (flag) => {
  const missing = path.join(freshFolder(), 'missing', 'file');
  const { code, stdout, stderr } = toolquake(['demo', flag, missing]);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain('cannot be written');
  expect(existsSync(path.dirname(missing))).toBe(false);
});

test('--journal holds every call and every fault of both rows, the same bytes for the same seed', () => {
  const folder = freshFolder();
  const [first, second] = ['first.jsonl', 'second.jsonl'].map((name) => {
    const file = path.join(folder, name);
    expect(toolquake(['demo', '--journal', file]).stdout).toBe(HEADLINE);
    return readFileSync(file, 'utf8');
  });
  expect(second).toBe(first);
  const kinds = first!
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { kind: string }).kind);
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  expect({ start: count('start'), call: count('call'), fault: count('fault'), end: count('end') }).toEqual({
    start: 2,
    call: 1600 + 1626,
    fault: 26 + 26,
    end: 2,
  });
});
