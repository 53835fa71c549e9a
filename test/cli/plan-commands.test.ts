/** `plan check`, `plan explain` and `faults`, as a user meets them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { createCatalogue, PLAN_KEYS } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { describe, expect, test } from 'vitest';
import { exampleRule } from '../../packages/toolquake/src/cli/fault-pages.js';
import { CONFIG_TYPES } from '@toolquake/sdk/controller';
import { FLAT_TYPES } from '../../packages/toolquake/src/config/import-flat-plan.js';
import { readPlanText } from '../../packages/toolquake/src/config/load-plan.js';
import { KEY_ABOUT } from '../../packages/toolquake/src/config/plan-schema.js';
import { binPath, createDesk } from './harness.js';

const catalogue = createCatalogue(faults);
const docs = (name: string): string => readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), 'utf8');

const PLAN = `version: 1
seed: 42
rules:
  - id: slow-search
    fault: latency
    params: { addedMs: 4000, jitterMs: 1500 }
    when: { tool: "search_*" }
    probability: 0.3
  - id: lost-refund
    fault: lost-ack
    when: { tool: create_refund }
    at: { first: 1 }
  - id: bad-minute
    fault: error-response
    shape: { burst: { rate: 0.02, meanLength: 16 } }
limits: { maxFaults: 200, maxMinutes: 10 }
`;

describe('plan check', () => {
  test('says in one line that a plan is good', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN, 'flat.yaml': 'seed: 3\nfaults: [{ type: drop_tool }]\n' });
    expect(await desk.run(['plan', 'check', 'plan.yaml', '--for', 'stdio'])).toEqual({
      code: 0,
      signal: null,
      stdout: 'ok plan.yaml for stdio: 3 rules, seed 42 (native format)\n',
      stderr: '',
    });
    expect((await desk.run(['plan', 'check', 'flat.yaml'])).stdout).toBe(
      'ok flat.yaml: 1 rule, seed 3 (flat fault list)\nnote faults[0] (drop_tool) does nothing: it names no tools, which means none.\n',
    );
  });

  test('prints JSON for good and bad plans alike', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN, 'bad.yaml': 'rules: []\nsede: 1\n' });
    expect(JSON.parse((await desk.run(['plan', 'check', 'plan.yaml', '--json'])).stdout)).toMatchObject({
      isGood: true,
      seed: 42,
      rules: [{ id: 'slow-search', fault: 'latency' }, {}, {}],
    });
    const bad = await desk.run(['plan', 'check', 'bad.yaml', '--json']);
    expect(bad.code).toBe(2);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      isGood: false,
      problems: [{ line: 2, column: 1, code: 'UNKNOWN_KEY', advice: 'Did you mean "seed"?' }],
    });
  });
});

describe('plan explain', () => {
  test('says what would be hit, how and how often', async () => {
    const { stdout, code } = await createDesk({ 'plan.yaml': PLAN }).run(['plan', 'explain', 'plan.yaml']);
    expect(code).toBe(0);
    for (const text of [
      'On calls of tools matching search_*, 30 % of the time.',
      'On calls of the tool create_refund, only the first match',
      'in bursts of 16 matches on average that take 2 % of all',
      'In the long run about 2 in 100 matches',
      'at most 200 faults in all.',
      'nothing after 10 minutes.',
    ]) {
      expect(stdout.replace(/\s+/g, ' ')).toContain(text);
    }
  });

  test('prints the same as JSON', async () => {
    const { stdout } = await createDesk({ 'plan.yaml': PLAN }).run(['plan', 'explain', 'plan.yaml', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      file: 'plan.yaml',
      format: 'native',
      seed: 42,
      rules: [{ id: 'slow-search', expectedShare: 0.3 }, {}, {}],
    });
  });
});

describe('faults', () => {
  test('lists every fault once', async () => {
    const { stdout } = await createDesk().run(['faults']);
    const listed = stdout.split('\n').flatMap((line) => /^([a-z]+(?:-[a-z]+)*) {2}/.exec(line)?.[1] ?? []);
    expect(listed).toEqual([...catalogue.keys()].sort());
    expect(JSON.parse((await createDesk().run(['faults', '--json'])).stdout)).toHaveLength(catalogue.size);
  });

  test('explains one with its parameters, and why it does not work elsewhere', async () => {
    const { stdout } = await createDesk().run(['faults', 'http-status']);
    expect(stdout).toMatch(/status +503 +400 to 599 +HTTP status code\./);
    expect(stdout).toMatch(/stdio +no: A pipe carries no HTTP\./);
  });

  test.each([...catalogue.values()].map((fault) => [fault.type, fault] as const))('the example of %s is a good plan', (_, fault) => {
    expect(readPlanText(exampleRule(fault), { catalogue }).problems).toEqual([]);
  });
});

describe('the command line itself', () => {
  test('prints help and version, and no colours where nobody asks', async () => {
    const desk = createDesk();
    const help = await desk.run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('plan check FILE');
    expect(help.stdout).not.toContain('\u001b[');
    expect((await desk.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await desk.run(['faults'], { FORCE_COLOR: '1' })).stdout).toContain('\u001b[');
    expect((await desk.run(['faults', '--no-color'], { FORCE_COLOR: '1' })).stdout).not.toContain('\u001b[');
    expect((await desk.run(['faults', 'nope', '--no-color'], { FORCE_COLOR: '1' })).stderr).not.toContain('\u001b[');
  });

  test('does not mind a reader that goes away', async () => {
    const child = spawn(process.execPath, [binPath, 'faults', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('the documents', () => {
  test('docs/plans.md describes every key of the format, in the words of the schema', () => {
    const page = docs('plans.md');
    for (const [place, keys] of Object.entries(PLAN_KEYS)) {
      const about: Readonly<Record<string, string>> = KEY_ABOUT[place as keyof typeof KEY_ABOUT];
      for (const key of keys)
        expect(page, `${place}.${key}`).toMatch(
          new RegExp(`\\| \`${key}\` \\|[^\\n]*${about[key]!.replace(/[.*+?^$()|[\]{}\\]/g, '\\$&')}`),
        );
    }
  });

  test('every plan printed in docs/plans.md and docs/fault-names.md is good', () => {
    const plans = ['plans.md', 'fault-names.md'].flatMap((name) =>
      [...docs(name).matchAll(/```(?:yaml|json)\n([^]*?)```/g)].map(([, source]) => source!),
    );
    expect(plans.length).toBeGreaterThan(3);
    for (const source of plans) expect(readPlanText(source, { catalogue }).problems, source).toEqual([]);
  });

  test('docs/fault-names.md names every fault, and every type of the formats that we import', () => {
    const page = docs('fault-names.md');
    for (const word of [...catalogue.keys(), ...FLAT_TYPES, ...CONFIG_TYPES]) expect(page).toContain(`\`${word}\``);
  });
});
