import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../testing/index.js';
import { createByteLane, type ByteLane, type Travel } from './byte-lane.js';

type Sent = { readonly atMs: number; readonly bytes: readonly number[] };

function laneOn(clock: ManualClock): { lane: ByteLane; sent: Sent[]; waiting: number[]; out: () => number[]; finishedAtMs: () => number } {
  const sent: Sent[] = [];
  const waiting: number[] = [];
  let finished = Number.NaN;
  const lane = createByteLane({
    clock,
    send: (bytes) => sent.push({ atMs: clock.nowMs(), bytes: [...bytes] }),
    finish: () => (finished = clock.nowMs()),
    waiting: (bytes) => waiting.push(bytes),
  });
  return { lane, sent, waiting, out: () => sent.flatMap(({ bytes }) => bytes), finishedAtMs: () => finished };
}

const DAY = 86_400_000;
const chunk = fc.uint8Array({ maxLength: 40 });
const travel: fc.Arbitrary<Travel> = fc.oneof(
  fc.constant({ afterMs: 0 }),
  fc.record({ afterMs: fc.integer({ min: 0, max: 500 }) }),
  fc.record({
    afterMs: fc.integer({ min: 0, max: 100 }),
    sliceBytes: fc.integer({ min: 1, max: 50 }),
    everyMs: fc.integer({ min: 0, max: 30 }),
  }),
);
const steps = fc.array(fc.record({ bytes: chunk, travel, thenMs: fc.integer({ min: 0, max: 300 }) }), { maxLength: 30 });
const all = (given: readonly { bytes: Uint8Array }[]): number[] => given.flatMap(({ bytes }) => [...bytes]);

test('passes bytes untouched and at once when nothing is asked for, in any chunks', () => {
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const { lane, sent, waiting } = laneOn(createManualClock());
      for (const bytes of chunks) lane.put(bytes, { afterMs: 0 });
      expect(sent.map(({ bytes }) => bytes)).toEqual(chunks.filter(({ length }) => length > 0).map((bytes) => [...bytes]));
      expect(waiting).toEqual([]);
    }),
  );
});

test('never loses, doubles or reorders a byte, whatever travels how, and ends once behind the last of them', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const clock = createManualClock();
      const { lane, sent, waiting, out, finishedAtMs } = laneOn(clock);
      for (const { bytes, travel: how, thenMs } of given) {
        lane.put(bytes, how);
        clock.advance(thenMs);
      }
      lane.end();
      lane.put(Uint8Array.of(1), { afterMs: 0 });
      clock.advance(DAY);
      expect(out()).toEqual(all(given));
      expect(finishedAtMs()).toBeGreaterThanOrEqual(sent.at(-1)?.atMs ?? 0);
      expect(waiting.at(-1) ?? 0).toBe(0);
      expect(clock.waiting).toBe(0);
    }),
  );
});

test('a release at any moment sends everything that waits, in order, and leaves a lane that passes at once', () => {
  fc.assert(
    fc.property(steps, fc.nat(30), fc.boolean(), (given, releasedAt, isCut) => {
      const clock = createManualClock();
      const { lane, out, finishedAtMs } = laneOn(clock);
      let cuts = 0;
      given.forEach(({ bytes, travel: how, thenMs }, index) => {
        if (index === releasedAt) lane.release();
        lane.put(bytes, index < releasedAt ? (index % 3 === 0 ? { afterMs: Infinity } : how) : { afterMs: 0 });
        if (isCut && index < releasedAt) lane.cut(DAY, () => cuts++);
        clock.advance(thenMs);
        if (index >= releasedAt) expect(out()).toEqual(all(given.slice(0, index + 1)));
      });
      lane.release();
      lane.end();
      expect(out()).toEqual(all(given));
      expect(finishedAtMs()).toBe(clock.nowMs());
      clock.advance(2 * DAY);
      expect([cuts, clock.waiting]).toEqual([0, 0]);
    }),
  );
});

test('keeps to a rate, however the bytes were read', () => {
  const bytesPerMs = 4;
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 20 }),
      (chunks, everyMs) => {
        const clock = createManualClock();
        const { lane, sent, out } = laneOn(clock);
        const sliceBytes = bytesPerMs * everyMs;
        for (const bytes of chunks) lane.put(bytes, { afterMs: 0, sliceBytes, everyMs });
        clock.advance(DAY);
        let before = 0;
        for (const { atMs, bytes } of sent) {
          // Each slice leaves when those before it have had their time, no sooner and no later.
          expect(atMs).toBeCloseTo(before / bytesPerMs, 6);
          expect(bytes.length).toBeLessThanOrEqual(sliceBytes);
          before += bytes.length;
        }
        expect(out()).toEqual(chunks.flatMap((bytes) => [...bytes]));
      },
    ),
  );
});

test('a delay holds back what comes behind it, and no longer than it has to', () => {
  const clock = createManualClock();
  const { lane, sent } = laneOn(clock);
  lane.put(Uint8Array.of(1), { afterMs: 100 });
  lane.put(Uint8Array.of(2), { afterMs: 0 });
  clock.advance(50);
  lane.put(Uint8Array.of(3), { afterMs: 100 });
  clock.advance(1000);
  expect(sent).toEqual([
    { atMs: 100, bytes: [1] },
    { atMs: 100, bytes: [2] },
    { atMs: 150, bytes: [3] },
  ]);
});

test('a cut comes behind what moves, before what is held, and nothing comes after it', () => {
  const clock = createManualClock();
  const { lane, out, finishedAtMs } = laneOn(clock);
  let cutAtMs = Number.NaN;
  lane.put(Uint8Array.of(1, 2, 3), { afterMs: 0, sliceBytes: 1, everyMs: 10 });
  lane.put(Uint8Array.of(4), { afterMs: Infinity });
  lane.cut(5, () => (cutAtMs = clock.nowMs()));
  lane.cut(0, () => (cutAtMs = -1));
  lane.put(Uint8Array.of(5), { afterMs: 0 });
  lane.end();
  clock.advance(DAY);
  lane.put(Uint8Array.of(6), { afterMs: 0 });
  lane.release();
  expect([out(), cutAtMs, finishedAtMs(), clock.waiting]).toEqual([[1, 2, 3], 30, Number.NaN, 0]);
});

test('counts what waits, so that a sender can be slowed down: single bytes cost more than themselves', () => {
  const clock = createManualClock();
  const { lane, waiting } = laneOn(clock);
  lane.put(new Uint8Array(1000), { afterMs: 10 });
  expect(waiting.at(-1)).toBeGreaterThanOrEqual(1000);
  for (let index = 0; index < 1000; index++) lane.put(Uint8Array.of(index), { afterMs: 10 });
  expect(waiting.at(-1)).toBeGreaterThanOrEqual(100_000);
  clock.advance(10);
  expect(waiting.at(-1)).toBe(0);
});

test('a closed lane says nothing more, and leaves no timer behind', () => {
  const clock = createManualClock();
  const { lane, sent, finishedAtMs } = laneOn(clock);
  lane.put(Uint8Array.of(1), { afterMs: 10 });
  lane.cut(20, () => expect.fail('cut after close'));
  lane.end();
  lane.close();
  lane.release();
  lane.put(Uint8Array.of(2), { afterMs: 0 });
  clock.advance(DAY);
  expect([sent, clock.waiting, finishedAtMs()]).toEqual([[], 0, Number.NaN]);
});

test('what rules hold goes on in its order when they are gone, and not before', () => {
  const held = fc.record({ bytes: chunk, heldBy: fc.subarray(['a', 'b']), gone: fc.subarray(['a', 'b']) });
  fc.assert(
    fc.property(fc.array(held, { maxLength: 20 }), (given) => {
      const { lane, out } = laneOn(createManualClock());
      const parts: { bytes: Uint8Array; heldBy: readonly string[]; isFree: boolean }[] = [];
      for (const { bytes, heldBy, gone } of given) {
        const isFree = heldBy.length === 0;
        lane.put(bytes, isFree ? { afterMs: 0 } : { afterMs: Infinity, heldBy });
        if (bytes.length > 0) parts.push({ bytes, heldBy, isFree });
        lane.endRules(gone);
        for (const part of parts) part.isFree ||= part.heldBy.some((id) => gone.includes(id));
        const firstHeld = parts.findIndex((part) => !part.isFree);
        expect(out()).toEqual(all(firstHeld === -1 ? parts : parts.slice(0, firstHeld)));
      }
    }),
  );
});
