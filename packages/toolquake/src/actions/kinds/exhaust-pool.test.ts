import { expect, test } from 'vitest';
import { createHoldingBook } from '../../workers/holding-book.js';
import type { CallEnd, Sample } from '../../core/sample.js';
import { holdingProof as proofOf } from '../holding-proof.js';
import { exhaustPool } from './exhaust-pool.js';

const call = (end: CallEnd, ms: number): Sample & { source: 'call' } => ({ source: 'call', atMs: 0, lane: 'faulted', tool: 'x', end, ms });

/** A book of so many sessions, where one call alone takes 10 ms. */
function held(sessions: number, ...calls: readonly (readonly [CallEnd, number])[]) {
  const book = createHoldingBook(sessions);
  for (const ms of [9, 10, 11]) book.ended(call('ok', ms));
  book.stopAlone();
  for (let session = 0; session < sessions; session++) book.opened(true);
  for (const [end, ms] of calls) book.ended(call(end, ms));
  return book;
}

test('sessions that are served as if they were alone have exhausted nothing', () => {
  expect(proofOf(held(40, ['ok', 12], ['ok', 15]).read(0))).toMatchObject({ isInEffect: false });
  expect(proofOf(undefined)).toMatchObject({ isInEffect: false });
});

test.each<[string, readonly (readonly [CallEnd, number])[], RegExp]>([
  ['answers that come far later', [['ok', 900]], /calls wait, p95 900 ms against 10 ms alone/],
  [
    'refusals',
    [
      ['ok', 10],
      ['rejected', 3],
    ],
    /1 were refused or failed/,
  ],
  ['answers with nothing', [['empty', 10]], /1 were answered with nothing, as if there were nothing/],
  ['callers who give up', [['timeout', 10_000]], /1 were given up/],
])('%s are an effect, and are named', (_, calls, proof) => {
  expect(proofOf(held(40, ...calls).read(0))).toMatchObject({ isInEffect: true, proof });
});

test('calls under way count as waiting once they take far longer than one alone', () => {
  const book = held(40);
  book.began(0);
  const done = book.began(0);
  expect(proofOf(book.read(50))).toMatchObject({ isInEffect: false });
  expect(proofOf(book.read(500))).toMatchObject({ isInEffect: true, proof: /2 calls wait/ });
  done();
  expect(book.read(500)).toMatchObject({ inFlight: 1, waiting: 1 });
});

test('before all have tried it is not in effect, however it looks', () => {
  const book = createHoldingBook(3);
  book.opened(true);
  book.stopAlone();
  book.ended(call('rejected', 1));
  expect(proofOf(book.read(0)).isInEffect).toBe(false);
});

test('it comes with tripwires for memory and processors of this host, and a lower stage has fewer sessions', () => {
  expect(exhaustPool.trips).toMatchObject([
    { signal: 'host_memory', above: 0.8 },
    { signal: 'host_cpu', above: 0.9 },
  ]);
  expect(exhaustPool.scale({ sessions: 200 }, 0.25)).toMatchObject({ sessions: 50 });
});
