/** `toolquake simulate` for systems: files, sweeps, threads, journals and what is refused. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { binPath, freshFolder, toolquake } from '../demo/toolquake.js';

const SHOP = `version: 1
scenario: shop
seed: 3
lasts: 10s
servers:
  shop: { tools: [look, buy], workers: 4, service: { exponential: 30ms } }
agents:
  visitor: { steps: [look, buy], perSecond: 20, concurrency: 100 }
plan:
  rules:
    - { id: flaky, fault: error-response, probability: 0.05 }
`;

function topologyFile(text: string): string {
  const file = path.join(freshFolder(), 'shop.yaml');
  writeFileSync(file, text);
  return file;
}

test('simulates a topology of your own', () => {
  const { code, stdout } = toolquake(['simulate', topologyFile(SHOP)]);
  expect(code).toBe(0);
  expect(stdout).toContain('toolquake simulate  shop');
  expect(stdout).toMatch(/as it is +\d+\.\d %/);
});

test('lists the shipped scenarios', () => {
  const { code, stdout } = toolquake(['simulate', '--list']);
  expect(code).toBe(0);
  for (const name of [
    'cold-tool',
    'schema-drift',
    'registry-staleness',
    'partial-results',
    'retry-storm',
    'fan-out',
    'head-of-line',
    'pool-cuts',
    'pool-grid',
    'pool-hysteresis',
  ]) {
    expect(stdout).toContain(name);
  }
});

test('the journal is the same byte for byte, however many threads made it', () => {
  const file = topologyFile(SHOP);
  const folder = freshFolder();
  const journals = ['1', '2', '3'].map((threads) => {
    const journal = path.join(folder, `${threads}.jsonl`);
    const { code } = toolquake([
      'simulate',
      file,
      '--seeds',
      '6',
      '--threads',
      threads,
      '--sweep',
      'servers.shop.workers=2,4',
      '--journal',
      journal,
    ]);
    expect(code).toBe(0);
    return readFileSync(journal, 'utf8');
  });
  expect(journals[0]!.split('\n').filter((line) => line.includes('"kind":"summary"'))).toHaveLength(12);
  expect(journals[1]).toBe(journals[0]);
  expect(journals[2]).toBe(journals[0]);
});

test('with --every-call the journal holds every call', () => {
  const journal = path.join(freshFolder(), 'all.jsonl');
  toolquake(['simulate', topologyFile(SHOP), '--every-call', '--journal', journal]);
  const entries = readFileSync(journal, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; calls?: number });
  const end = entries.at(-1)!;
  expect(end.kind).toBe('end');
  expect(entries.filter(({ kind }) => kind === 'call')).toHaveLength(end.calls!);
});

describe('--html writes a page beside the table', () => {
  test.each([
    ['of a system', SHOP, 'Scenario: shop'],
    ['of a plan', 'version: 1\nrules:\n  - { id: flaky, fault: error-response, probability: 0.1 }\n', 'with resilience'],
  ])('%s', (_, text, words) => {
    const page = path.join(freshFolder(), 'page.html');
    const { code, stdout } = toolquake(['simulate', topologyFile(text), '--html', page]);
    expect(code).toBe(0);
    expect(stdout).toContain('toolquake simulate');
    const html = readFileSync(page, 'utf8');
    expect(html).toContain(words);
    expect(html).toContain('<svg');
  });

  test('and refuses a place that it cannot write to before it starts', () => {
    const { code, stdout, stderr } = toolquake(['simulate', topologyFile(SHOP), '--html', path.join(freshFolder(), 'none', 'page.html')]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('cannot be written');
  });
});

test('a rule that never fired is exit 4, a gate that broke is exit 1', () => {
  const silent = toolquake(['simulate', topologyFile(SHOP.replace('probability: 0.05', 'probability: 1e-9'))]);
  expect([silent.code, silent.stderr]).toEqual([4, '"flaky" never fired: what never happened was not tested, so this is no pass.\n']);
  const gated = `${SHOP}variants:\n  - { name: strict, gates: { failedShare: { max: 0.01 } } }\n`;
  const broken = toolquake(['simulate', topologyFile(gated)]);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain('broken: failed tasks');
});

describe('bad input is refused before anything starts, with its place and the nearest good word', () => {
  test.each([
    [
      'an unknown key',
      SHOP.replace('workers', 'workrs'),
      'shop.yaml:6:31: servers.shop has the unknown key "workrs".',
      'Did you mean "workers"?',
    ],
    [
      'no capacity',
      SHOP.replace('workers: 4', 'workers: 0'),
      'shop.yaml:6:40: servers.shop.workers must be a whole number from 1',
      'The nearest allowed value is 1.',
    ],
    [
      'an unknown tool',
      SHOP.replace('steps: [look', 'steps: [lok'),
      'shop.yaml:8:22: No server offers the tool "lok".',
      'Did you mean "look"?',
    ],
    ['an unknown server', SHOP.replace('workers: 4', 'calls: [shopp]'), 'There is no server "shopp".', 'Did you mean "shop"?'],
    [
      'a circle',
      SHOP.replace('workers: 4', 'calls: [shop]'),
      'The servers call each other in a circle: shop -> shop.',
      'Remove one of these calls.',
    ],
    [
      'an impossible deadline',
      SHOP.replace('exponential: 30ms', 'fixed: 2s'),
      'No call of "look" can be back within the deadline of 1000 ms',
      'The nearest possible value is 2000 ms.',
    ],
    ['an unknown fault', SHOP.replace('error-response', 'error-respnse'), 'shop.yaml:11:27:', 'Did you mean "error-response"?'],
  ])('%s', (_, text, message, advice) => {
    const { code, stdout, stderr } = toolquake(['simulate', topologyFile(text)]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain(advice);
  });

  test.each([
    [
      'an unknown key',
      ['--sweep', 'servers.shop.workrs=1,2'],
      'There is no key "servers.shop.workrs" in this topology.',
      'Did you mean "servers.shop.workers"?',
    ],
    ['an unknown server', ['--sweep', 'servers.shpo.workers=1'], 'There is no key', 'Did you mean "servers.shop.workers"?'],
    [
      'a bad value',
      ['--sweep', 'servers.shop.workers=4,0'],
      'servers.shop.workers must be a whole number from 1',
      'The nearest allowed value is 1.',
    ],
    ['no values', ['--sweep', 'servers.shop.workers='], '--sweep must look like key=a,b,c', 'For example'],
    ['an option of plans', ['--fanout', '3'], '--fanout is for fault plans.', '--sweep'],
    ['an unknown variant', ['--variant', 'x'], 'There is no variant "x"', 'Variants: "as it is"'],
  ])('a sweep or option: %s', (_, words, message, advice) => {
    const journal = path.join(freshFolder(), 'none.jsonl');
    const { code, stdout, stderr } = toolquake(['simulate', topologyFile(SHOP), '--journal', journal, ...words]);
    expect([code, stdout, existsSync(journal)]).toEqual([2, '', false]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(advice);
  });

  test('a scenario that does not exist', () => {
    const { code, stderr } = toolquake(['simulate', 'retry-strom']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no scenario and no file called "retry-strom".');
    expect(stderr).toContain('Did you mean "retry-storm"?');
  });

  test('a sweep for a plan', () => {
    const { code, stderr } = toolquake(['simulate', topologyFile('version: 1\nrules: []\n'), '--sweep', 'a=1']);
    expect(code).toBe(2);
    expect(stderr).toContain('--sweep is for scenarios and topologies.');
  });
});

test('Ctrl-C ends a run on several threads at once, with 130', async () => {
  const folder = freshFolder();
  const words = ['simulate', 'pool-cuts', '--seeds', '1000', '--threads', '2', '--journal', path.join(folder, 'run.jsonl')];
  // The journal is opened when everything was checked and the work begins.
  const begun = once(watch(folder), 'change');
  const child = spawn(process.execPath, [binPath, ...words], { env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'pipe'] });
  await begun;
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(130);
});
