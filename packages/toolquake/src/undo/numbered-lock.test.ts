import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lockOf, revokeLock, takeLock, viewLock, type NumberedLock } from './numbered-lock.js';

const folder = (): string => mkdtempSync(join(tmpdir(), 'toolquake-lock-'));
const never = (): boolean => false;
const take = (directory: string, mayTake: () => boolean = never): NumberedLock | undefined => {
  const taken = takeLock(directory, { who: 'me' }, mayTake);
  return 'lock' in taken ? taken.lock : undefined;
};

test('one holds it; the next one has a higher token, and the lower one knows', () => {
  const directory = folder();
  const first = take(directory)!;
  expect(take(directory)).toBeUndefined();
  const second = take(directory, () => true)!;
  expect([first.isHeld(), second.isHeld(), second.token > first.token]).toEqual([false, true, true]);
  // A stale holder can free nothing but its own.
  first.release();
  expect([second.isHeld(), take(directory)]).toEqual([true, undefined]);
  second.release();
  expect(take(directory)?.token).toBe(second.token + 1);
});

test('a revoked lock is held by nobody, and free to nobody', () => {
  const directory = folder();
  const lock = take(directory)!;
  revokeLock(directory, lock.token);
  expect([lock.isHeld(), take(directory), viewLock(directory)?.isRevoked]).toEqual([false, undefined, true]);
});

test('a record that cannot be read is nobody that we know', () => {
  const directory = folder();
  const { token } = take(directory)!;
  writeFileSync(join(directory, readdirSync(directory)[0]!), '{');
  expect(viewLock(directory)).toEqual({ token, record: undefined, isReleased: false, isRevoked: false });
});

test('whatever happens in whatever order, tokens only grow and at most one is held', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('take', 'steal', 'release', 'revoke'), fc.nat()), { maxLength: 25 }), (moves) => {
      const directory = folder();
      const locks: NumberedLock[] = [];
      for (const [move, which] of moves) {
        const one = locks[which % Math.max(1, locks.length)];
        if (move === 'release') one?.release();
        else if (move === 'revoke' && one !== undefined) revokeLock(directory, one.token);
        else if (move === 'take' || move === 'steal') {
          const lock = take(directory, () => move === 'steal');
          if (lock !== undefined) locks.push(lock);
        }
        expect(locks.filter((lock) => lockOf(directory, lock.token).isHeld()).length).toBeLessThanOrEqual(1);
      }
      const tokens = locks.map(({ token }) => token);
      expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
    }),
    { numRuns: 40 },
  );
});
