import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Experiment } from '../core/experiment.js';
import { faultDigest, planDigest, targetIdentityOf } from './digests.js';
import { someExperiment } from './fixtures/some-experiment.js';

const plan = { experiment: someExperiment, stage: 1, targetIdentity: 'http://a/' };

test('is 64 hexadecimal digits', () => {
  expect(faultDigest(someExperiment)).toMatch(/^[0-9a-f]{64}$/);
  expect(planDigest(plan)).toMatch(/^[0-9a-f]{64}$/);
});

test('never depends on the order of keys', () => {
  const shuffle = (value: unknown, order: readonly number[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => shuffle(item, order));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, item], index) => [order[index % order.length]!, key, shuffle(item, order)] as const);
    return Object.fromEntries(entries.sort((a, b) => a[0] - b[0]).map(([, key, item]) => [key, item]));
  };
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), fc.dictionary(fc.string(), fc.jsonValue()), (order, params) => {
      const given = { ...someExperiment, actions: [{ ...someExperiment.actions[0]!, params }] } as Experiment;
      const mixed = shuffle(given, order) as Experiment;
      expect(planDigest({ ...plan, experiment: mixed })).toBe(planDigest({ ...plan, experiment: given }));
      expect(faultDigest(mixed)).toBe(faultDigest(given));
    }),
  );
});

test('of faults leaves the dose and everything that only looks out', () => {
  const same = {
    ...someExperiment,
    dose: { ladder: [5], minFaulted: 1, seed: 9 },
    steady: [],
    owner: 'x',
    actions: [{ ...someExperiment.actions[0]!, id: 'other' }],
  };
  expect(faultDigest(same)).toBe(faultDigest(someExperiment));
  const [step] = someExperiment.actions;
  for (const other of [
    { ...step!, forMs: 1 },
    { ...step!, action: 'x' },
    { ...step!, params: { a: 1 } },
  ])
    expect(faultDigest({ ...someExperiment, actions: [other] })).not.toBe(faultDigest(someExperiment));
});

test('of a plan is another one when anything is another: stage, target, build, any value', () => {
  const others = [
    { ...plan, stage: 2 },
    { ...plan, targetIdentity: 'http://b/' },
    { ...plan, build: 'shop 1.0' },
    { ...plan, target: { env: { DATABASE: 'a' } } },
    { ...plan, target: { env: { DATABASE: 'b' } } },
    { ...plan, experiment: { ...someExperiment, limits: { ...someExperiment.limits, maxCalls: 1 } } },
    { ...plan, experiment: { ...someExperiment, rollbackOn: [] } },
  ];
  expect(new Set([plan, ...others].map(planDigest)).size).toBe(others.length + 1);
});

test('of a target leaves credentials out', () => {
  expect(targetIdentityOf({ target: { name: 'a', kind: 'url', url: 'http://user:pass@Shop.example:80/mcp#x' } })).toBe(
    'http://shop.example/mcp',
  );
  expect(targetIdentityOf({ target: { name: 'a', kind: 'command', command: ['node', 's.js'], cwd: '/x' } })).toBe(
    '{"command":["node","s.js"],"cwd":"/x"}',
  );
});

test('of a target is one for all spellings of its address, and has no query', () => {
  const identityOf = (url: string): string => targetIdentityOf({ target: { name: 'a', kind: 'url', url } });
  const spellings = [
    'http://127.0.0.1:3001/mcp',
    'http://localhost:3001/mcp/',
    'HTTP://LOCALHOST.:3001//mcp',
    'http://127.1:3001/%6dcp?key=s3cret',
    'http://[::1]:3001/mcp#x',
    'http://[::ffff:127.0.0.1]:3001/mcp',
    'http://0.0.0.0:3001/./mcp',
  ];
  expect(new Set(spellings.map(identityOf))).toEqual(new Set(['http://localhost:3001/mcp']));
  expect(new Set(['http://a/mcp', 'http://a/mcp2', 'http://a:81/mcp', 'http://b/mcp', 'http://a/'].map(identityOf)).size).toBe(5);
});
