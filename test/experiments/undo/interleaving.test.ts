import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineUndo, type UndoneBy } from '../../../packages/toolquake/src/core/undo-step.js';
import { findLeftovers, isNothingLeft } from '../../../packages/toolquake/src/undo/leftovers.js';
import { openLedger } from '../../../packages/toolquake/src/undo/open-ledger.js';
import { readLedger } from '../../../packages/toolquake/src/undo/read-ledger.js';
import { undoOpenSteps } from '../../../packages/toolquake/src/undo/undo-open-steps.js';

let runs = 0;

test('invariant 8: whoever undoes together with whom, and whatever fails at first, each change is taken back in the end, last one first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ failures: fc.nat({ max: 2 }), slowMs: fc.nat({ max: 8 }) }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.constantFrom<UndoneBy>('runner', 'warden', 'sweep', 'person'), { minLength: 1, maxLength: 4 }),
      async (changes, undoers) => {
        const folder = mkdtempSync(join(tmpdir(), 'toolquake-interleaving-'));
        const env = { TOOLQUAKE_STATE_DIR: join(folder, 'state') };
        const inPlace = new Set<number>();
        const order: number[] = [];
        const failuresLeft = changes.map(({ failures }) => failures);
        const kinds = {
          takeBack: defineUndo({
            kind: 'take-back',
            summary: 'Takes a number out of a set.',
            async undo({ at }) {
              await delay(changes[Number(at)]!.slowMs);
              failuresLeft[Number(at)] = failuresLeft[Number(at)]! - 1;
              if (failuresLeft[Number(at)]! >= 0) throw new Error('not now');
              if (inPlace.delete(Number(at))) order.push(Number(at));
            },
            async verify({ at }) {
              return inPlace.has(Number(at)) ? { is: 'not-undone', why: 'in place' } : { is: 'undone', proof: 'taken back' };
            },
          }),
        };
        const runId = `run${++runs}`;
        const ledger = await openLedger({
          path: join(folder, runId, 'ledger.jsonl'),
          runId,
          env,
          deadlineMs: 1000,
          kinds,
          isUnwatched: true,
        });
        for (const at of changes.keys()) {
          const step = await ledger.intend('add', `number ${at}`, { kind: 'take-back', data: { at } });
          inPlace.add(at);
          await ledger.applied(step);
        }
        await Promise.all(undoers.map((by) => undoOpenSteps(ledger.path, { by, env, kinds, isLast: false })));
        // At most two failures each: three rounds are enough, whoever does them.
        for (let round = 0; round < 2; round++) await ledger.undoAll();
        expect([...inPlace]).toEqual([]);
        expect(readLedger(ledger.path)).toMatchObject({ damage: [], isClean: true });
        if (changes.every(({ failures }) => failures === 0)) expect(order).toEqual([...changes.keys()].toReversed());
        await ledger.close();
        expect(findLeftovers(env).filter((one) => !isNothingLeft(one))).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
});

test('a run whose ledger is deleted under it still undoes what it did', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-deleted-'));
  const env = { TOOLQUAKE_STATE_DIR: join(folder, 'state') };
  let isInPlace = false;
  const kinds = {
    takeBack: defineUndo({
      kind: 'take-back',
      summary: 'Takes it back.',
      async undo() {
        isInPlace = false;
      },
      verify: async () => (isInPlace ? { is: 'not-undone', why: 'in place' } : { is: 'undone', proof: 'taken back' }),
    }),
  };
  const ledger = await openLedger({
    path: join(folder, 'run', 'ledger.jsonl'),
    runId: 'deleted',
    env,
    deadlineMs: 1000,
    kinds,
    isUnwatched: true,
  });
  await ledger.intend('set', 'it', { kind: 'take-back', data: {} });
  isInPlace = true;
  rmSync(join(folder, 'run'), { recursive: true });
  expect(ledger.lostTo()).toContain('cannot be read');
  await expect(ledger.intend('set', 'it again', { kind: 'take-back', data: {} })).rejects.toMatchObject({ code: 'STOPPED' });
  expect(await ledger.undoAll()).toMatchObject([{ step: 1, state: { is: 'undone' } }]);
  expect(isInPlace).toBe(false);
  // And nobody may start before a person knows: what it changed was not written down any more.
  expect(findLeftovers(env)).toMatchObject([{ runId: 'deleted', state: 'unknown' }]);
});

test('nothing may be changed without a warden, with an undo that nobody knows, or where nothing can be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-refused-'));
  const env = { TOOLQUAKE_STATE_DIR: join(folder, 'state') };
  const ledger = await openLedger({ path: join(folder, 'run', 'ledger.jsonl'), runId: 'refused', env, deadlineMs: 1000 });
  await expect(ledger.intend('a', 'b', { kind: 'end-process', data: {} })).rejects.toThrow('no warden watches it yet');
  await expect(ledger.intend('a', 'b', { kind: 'unheard-of', data: {} })).rejects.toThrow('nobody here can do');
  await expect(openLedger({ path: '/dev/null/run/ledger.jsonl', runId: 'x', env, deadlineMs: 1 })).rejects.toMatchObject({
    code: 'NOT_WRITABLE',
  });
  await expect(openLedger({ path: ledger.path, runId: 'y', env, deadlineMs: 1 })).rejects.toThrow('there is one already');
  await expect(openLedger({ path: join(folder, 'z'), runId: '../z', env, deadlineMs: 1 })).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
});
