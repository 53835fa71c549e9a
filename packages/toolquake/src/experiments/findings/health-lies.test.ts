import { expect, test } from 'vitest';
import { each, END_MS, FAULT_OFF_MS, FAULT_ON_MS, found, probes } from '../fixtures/journal.js';
import { call } from '../fixtures/fake-world.js';
import { healthLies } from './health-lies.js';

test('a healthy run has none', () => {
  expect(found(healthLies)).toBeUndefined();
});

const calls = (end: 'error' | 'rejected') => each(0, END_MS, 200).map((atMs) => call(atMs, isDuring(atMs) ? end : 'ok', 'faulted'));
const isDuring = (atMs: number): boolean => atMs >= FAULT_ON_MS && atMs < FAULT_OFF_MS;
const health = (during: number) =>
  probes(
    () => true,
    (atMs) => ({ healthStatus: isDuring(atMs) ? during : 200 }),
  );

test('200 while the tools are broken', () => {
  expect(found(healthLies, { samples: calls('error'), probes: health(200) })).toContain('saw a health status of 200');
});

test('so is any other status that the server has when it is well', () => {
  const always = probes(
    () => true,
    () => ({ healthStatus: 204 }),
  );
  expect(found(healthLies, { samples: calls('error'), probes: always })).toContain('saw a health status of 204');
});

test('503 while the tools are broken is the truth', () => {
  expect(found(healthLies, { samples: calls('error'), probes: health(503) })).toBeUndefined();
});

test('200 while calls are refused for load is no lie', () => {
  expect(found(healthLies, { samples: calls('rejected'), probes: health(200) })).toBeUndefined();
});

test('200 while we break single calls in a proxy is no lie', () => {
  expect(found(healthLies, { blast: 'calls', samples: calls('error'), probes: health(200) })).toBeUndefined();
});
