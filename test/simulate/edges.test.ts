/** `toolquake simulate` for systems: what is refused before anything starts, and what a run leaves behind. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder, toolquake } from '../demo/toolquake.js';

function fileOf(text: string): string {
  const file = path.join(freshFolder(), 'system.yaml');
  writeFileSync(file, text);
  return file;
}

const SYSTEM = `scenario: small
seed: 1
seeds: 4
lasts: 5s
servers: { shop: { tools: [look], pool: 4, poolQueue: 1, service: { exponential: 30ms } } }
agents:
  visitor:
    { tools: [look], perSecond: 100, concurrency: 50, taskDeadline: 2s, retry: { max: unbounded, backoff: 20ms }, limiter: { perSecond: 150 } }
timeline: [{ at: 1s, until: 2s, set: servers.shop.pool, to: 1 }]
plan: { rules: [{ fault: error-response, probability: 0.02 }] }
`;

const LEVELS = `scenario: walk
servers: { shop: { tools: [look] } }
agents: { visitor: { tools: [look], perSecond: 10 } }
levels: { set: servers.shop.slowdown, values: [1, 2], each: 1s }
`;

type Report = { rows: { levels: unknown[]; gates: { value: number | null; isHeld: boolean }[] }[]; neverFired: string[] };

describe('bad input is refused before anything starts', () => {
  test.each([
    ['values that contradict each other', 'agents.visitor.deadline=10,1000;servers.shop.service=5,500', 'deadline of 10 ms'],
    ['the same value twice', 'servers.shop.pool=4,4', 'twice'],
    ['the same key twice', 'servers.shop.pool=4;servers.shop.pool=2', 'twice'],
  ])('%s', (_, sweep, words) => {
    const { code, stdout, stderr } = toolquake(['simulate', fileOf(SYSTEM), '--sweep', sweep]);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('two variants of one name', () => {
    const { code, stderr } = toolquake(['simulate', fileOf(`${SYSTEM}variants: [{ name: same }, { name: same }]\n`)]);
    expect(stderr).toContain('"same" twice');
    expect(code).toBe(2);
  });
});

test('a rule needs no id to have fired', () => {
  const { code, stdout } = toolquake(['simulate', fileOf(SYSTEM), '--json']);
  expect((JSON.parse(stdout) as Report).neverFired).toEqual([]);
  expect(code).toBe(0);
});

test('a sweep of a file does not change a variant that another sweep runs', () => {
  const file = fileOf(
    `${SYSTEM}sweep: { agents.visitor.retry.max: [1, 5] }\nvariants: [{ name: one, set: { agents.visitor.retry: { max: 0 } } }]\n`,
  );
  const { stdout } = toolquake(['simulate', file, '--sweep', 'lasts=5s', '--json']);
  expect((JSON.parse(stdout) as { rows: { figures: Record<string, { mean: number }> }[] }).rows[0]!.figures['retries']!.mean).toBe(0);
});

test('levels are in the report whatever goes into the journal', () => {
  const journal = path.join(freshFolder(), 'journal');
  const { stdout } = toolquake(['simulate', fileOf(LEVELS), '--json', '--journal', journal, '--every-call']);
  expect((JSON.parse(stdout) as Report).rows[0]!.levels).toHaveLength(2);
});

test('a gate on a figure that some runs do not have is not held', () => {
  const file = fileOf(`scenario: down
seed: 1
seeds: 4
lasts: 4s
servers: { shop: { tools: [look], service: 10ms } }
agents: { visitor: { tools: [look], perSecond: 1, concurrency: 5 } }
timeline: [{ at: 1s, until: 3s, set: servers.shop.isUp, to: false }]
variants: [{ name: one, gates: { recoverMs: { max: 60000 } } }]
`);
  const { code, stdout } = toolquake(['simulate', file, '--json']);
  // With one task a second, some seeds have none after the disturbance, and so no such figure.
  expect((JSON.parse(stdout) as Report).rows[0]!.gates).toMatchObject([{ value: null, isHeld: false }]);
  expect(code).toBe(1);
  expect(toolquake(['simulate', file]).stdout).toContain('broken: recovered in n/a (not as expected)');
});

describe('a disk that is full', () => {
  test.each([[[]], [['--every-call']]])('is told once, with exit 3: %j', (words) => {
    const { code, stderr } = toolquake(['simulate', fileOf(SYSTEM), '--journal', '/dev/full', ...words]);
    expect(stderr.match(/no space left/g)).toHaveLength(1);
    expect(code).toBe(3);
  });
});
