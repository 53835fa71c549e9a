import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, probe } from './fixtures/fake-world.js';
import { createSampleBook } from './sample-book.js';

test('samples stand in order of time, whatever the order in which they arrive', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 100 }), fc.integer({ min: -5, max: 60 }), (times, sinceMs) => {
      const book = createSampleBook();
      for (const atMs of times) book.add(probe(atMs, true));
      const inOrder = times.filter((atMs) => atMs >= sinceMs).sort((one, other) => one - other);
      expect(book.since('probe', sinceMs).map((one) => one.atMs)).toEqual(inOrder);
      expect(book.last('probe')?.atMs).toBe(times.length === 0 ? undefined : Math.max(...times));
      expect(book.since('call', 0)).toEqual([]);
    }),
  );
});

test('the book is bounded, keeps the newest, and still counts what it forgot', () => {
  const book = createSampleBook(10);
  for (let atMs = 0; atMs < 1000; atMs++) book.add(call(atMs, 'ok', atMs % 4 === 0 ? 'faulted' : 'control'));
  const kept = book.since('call', 0);
  expect(kept.length).toBeGreaterThanOrEqual(10);
  expect(kept.length).toBeLessThanOrEqual(20);
  expect(kept.at(-1)?.atMs).toBe(999);
  expect(book.counts()).toEqual({ calls: 1000, faulted: 250 });
});

test('the proxy of the run may have seen more calls than our own load made', () => {
  const book = createSampleBook();
  book.add(call(1, 'ok', 'faulted'));
  book.add({ source: 'faults', atMs: 2, calls: 40, delivered: 12 });
  expect(book.counts()).toEqual({ calls: 40, faulted: 12 });
});

test('a time that is none is not kept', () => {
  const book = createSampleBook();
  book.add(probe(Number.NaN, true));
  expect(book.last('probe')).toBeUndefined();
});
