import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@toolquake/sdk/core';
import { expect, onTestFinished, test } from 'vitest';
import { actionWorld } from '../fixtures/action-world.js';
import { plan } from './plan.js';

const rules = [{ id: 'slow', fault: 'latency', params: { addedMs: 100 } }];

test.each<[object, RegExp]>([
  [{ plan: { rules: [{ id: 'a', fault: 'latencyy' }] } }, /unknown fault "latencyy"/],
  [{ plan: { rules: [] } }, /no rule that is on/],
  [{ plan: { rules, limits: { maxFaults: 3 } } }, /has limits, which an experiment says in its own way/],
  [{ plan: { rulez: rules } }, /unknown key "rulez"/],
  [{}, /either "plan" or "file"/],
  [{ plan: { rules }, file: 'plan.yaml' }, /either "plan" or "file"/],
  [{ file: '/nowhere/plan.yaml' }, /plan\.yaml/],
  [{ plan: { rules: [{ id: 'a', fault: 'stdout-noise' }] } }, /stdout-noise/],
])('%j is refused with what is wrong with it', async (params, error) => {
  await expect(plan.feasibility(params as never, actionWorld())).rejects.toThrow(error);
});

test('without a place of its own it needs the proxy of the run, and admin routes need an address', async () => {
  expect(await plan.feasibility({ plan: { rules } }, actionWorld())).toMatchObject({ isFeasible: true });
  expect(await plan.feasibility({ plan: { rules }, where: 'admin' }, actionWorld())).toMatchObject({ isFeasible: false, why: /adminUrl/ });
  // A preview has no proxy: what would be hit is known all the same.
  const { hits, steps } = await plan.prepare({ plan: { rules }, share: 0.25 }, actionWorld());
  expect([hits, steps[0]?.name]).toEqual([
    ['rule slow: latency on any tool, at 25 % of its dose'],
    'inject slow into the proxy of the run',
  ]);
  await expect(steps[0]!.apply()).rejects.toThrow(/the run has no proxy/);
});

test.each(['http://example.org:80', 'http://127.0.0.1:1@example.org', 'file:///etc/passwd', 'http://127.0.0.1\n.example.org'])(
  'the token is never sent to %j',
  async (adminUrl) => {
    const params = { plan: { rules }, where: 'admin', adminUrl, tokenVariable: 'T' };
    await expect(plan.feasibility(params, actionWorld({ env: { T: 's3cret' } }))).rejects.toThrow(/address that a proxy printed/);
  },
);

test('a lower stage has a lower share, and stages of stages multiply', () => {
  const half = plan.scale({ plan: { rules } }, 0.5);
  expect(half).toMatchObject({ share: 0.5 });
  expect(plan.scale(half, 0.5)).toMatchObject({ share: 0.25 });
});

test('the rules of a file become part of the experiment, so what was approved is what is done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-plan-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'slow.yaml'), `version: 1\nseed: 3\nrules:\n  - ${JSON.stringify(rules[0])}\n`);
  const settled = await plan.settle?.({ file: 'slow.yaml', where: 'front' }, folder);
  expect(settled).toEqual({ where: 'front', plan: { version: 1, seed: 3, rules } });
  expect(await plan.settle?.(settled!, '/nowhere')).toEqual(settled);
  writeFileSync(join(folder, 'slow.yaml'), 'version: 1\nrules:\n  - { id: a, fault: latencyy }\n');
  await expect(plan.settle?.({ file: 'slow.yaml' }, folder)).rejects.toThrow(/slow\.yaml/);
});

test.each<[object, string]>([
  [
    {
      plan: {
        rules: [
          { id: 'slow', fault: 'latency' },
          { id: 'gone', fault: 'lost-ack' },
        ],
      },
      share: 0.1,
    },
    'slow (latency), gone (lost-ack), at 10 % of the dose',
  ],
  [{ plan: [{ id: 'slow', fault: 'latency' }], adminUrl: 'http://127.0.0.1:9' }, 'slow (latency) at http://127.0.0.1:9'],
  [{ file: 'plan.yaml' }, 'plan.yaml'],
  [{ plan: 7 }, 'no rules'],
])('says in a line what it is about: %j', (params, line) => {
  expect(plan.about?.(params as JsonObject)).toBe(line);
});
