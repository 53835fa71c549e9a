import { expect, test } from 'vitest';
import type { Sample, TripRule } from '../core/sample.js';
import { cadenceOf } from './cadence.js';
import { exampleExperiment, probe } from './fixtures/fake-world.js';
import { createSampleBook } from './sample-book.js';
import { createTripwires, tripRules } from './tripwires.js';

const rule = (more: Partial<TripRule> = {}): TripRule => ({
  signal: 'consecutive_failures',
  above: 0,
  windowMs: 2000,
  minSamples: 1,
  forMs: 0,
  origin: 'the file',
  ...more,
});

/** When tripwires that are armed at 1 s trip, looked at each quarter of a second. */
function tripsOf(
  rules: readonly TripRule[],
  see: (atMs: number) => readonly Sample[],
  untilMs = 20_000,
): readonly [number, string, string][] {
  const book = createSampleBook();
  const tripwires = createTripwires(rules, cadenceOf(exampleExperiment));
  const trips: [number, string, string][] = [];
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 250) {
    if (nowMs === 1000) tripwires.arm(nowMs);
    for (const sample of see(nowMs)) book.add(sample);
    for (const trip of tripwires.look(book, nowMs)) trips.push([nowMs, trip.rule.state, trip.origin]);
  }
  return trips;
}
const probes = (isUp: (atMs: number) => boolean) => (atMs: number) => (atMs % 500 === 0 ? [probe(atMs, isUp(atMs))] : []);

test('trips at once without a time, and once only', () => {
  expect(
    tripsOf(
      [rule()],
      probes((atMs) => atMs < 3000),
    ),
  ).toEqual([[3000, 'fails', 'the file']]);
});

test('nothing trips before it is armed', () => {
  expect(
    tripsOf(
      [rule()],
      probes((atMs) => atMs >= 1000),
    ),
  ).toEqual([]);
});

test('waits for its time without a break', () => {
  const wait = rule({ forMs: 1500 });
  expect(
    tripsOf(
      [wait],
      probes((atMs) => atMs < 3000),
    ),
  ).toEqual([[4500, 'fails', 'the file']]);
  expect(
    tripsOf(
      [wait],
      probes((atMs) => atMs < 3000 || atMs % 1500 === 0),
    ),
  ).toEqual([]);
});

test('several trip in the order of their rules', () => {
  const both = [rule({ origin: 'one' }), rule({ signal: 'probe_success', above: undefined, below: 0.9, origin: 'two' })];
  expect(
    tripsOf(
      both,
      probes((atMs) => atMs < 3000),
    ).map(([atMs, , origin]) => [atMs, origin]),
  ).toEqual([
    [3000, 'one'],
    [3000, 'two'],
  ]);
});

test('invariant 13: a source that never spoke trips one window after the fault began', () => {
  expect(tripsOf([rule()], () => [])).toEqual([[3000, 'silent', 'the file']]);
});

test('invariant 13: a source that fell silent does not break a row of failures', () => {
  const see = (atMs: number): readonly Sample[] => (atMs < 4000 ? probes((at) => at < 3000)(atMs) : []);
  expect(tripsOf([rule({ forMs: 6000 })], see)[0]?.[1]).toBe('silent');
});

test('what was counted before the fault is not held against it', () => {
  const count = rule({ signal: 'protocol_failures', windowMs: 120_000 });
  expect(
    tripsOf(
      [count],
      probes((atMs) => atMs !== 500),
    ),
  ).toEqual([]);
  expect(
    tripsOf(
      [count],
      probes((atMs) => atMs !== 4500),
    ),
  ).toEqual([[4500, 'fails', 'the file']]);
});

test('invariant 13: a window of minutes does not keep a source alive that stopped', () => {
  const share = rule({ signal: 'probe_success', above: undefined, below: 0.5, windowMs: 300_000 });
  const [first] = tripsOf([share], (atMs) => (atMs < 2000 ? probes(() => true)(atMs) : []), 60_000);
  expect(first).toEqual([31_750, 'silent', 'the file']);
});

test('too few samples for four windows is blindness', () => {
  const see = probes(() => true);
  expect(tripsOf([rule({ minSamples: 100 })], see)).toEqual([[9000, 'few', 'the file']]);
});

test('a default of an action steps back for the file, and is there once for two actions', () => {
  const ofAction = rule({ origin: 'block-dependency', above: 3 });
  const onControl = rule({ signal: 'error_rate', lane: 'control', origin: 'plan' });
  expect(tripRules([rule()], [ofAction])).toEqual([rule()]);
  expect(tripRules([rule()], [onControl, { ...onControl, origin: 'plan too' }])).toEqual([rule(), onControl]);
  expect(tripRules([{ ...onControl, lane: 'faulted' }], [onControl])).toHaveLength(2);
});
