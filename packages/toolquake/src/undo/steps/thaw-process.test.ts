import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '@toolquake/sdk/core';
import { identify } from '../process-identity.js';
import { thawProcess } from './thaw-process.js';

const world = { env: {}, signal: AbortSignal.timeout(60_000) };

test('a process that never stopped is undone, and one of another start is gone', async () => {
  const ourselves = { ...identify(process.pid)! };
  expect(await thawProcess.verify({ processes: [ourselves] }, world)).toMatchObject({ is: 'undone' });
  expect(await thawProcess.verify({ processes: [{ ...ourselves, startTicks: 1 }] }, world)).toMatchObject({ is: 'gone' });
});

test('data that names no process is never taken for undone, and harms nobody', async () => {
  const bad: JsonObject[] = [
    {},
    { processes: [] },
    { processes: [{ pid: 1, startTicks: 1, bootId: 'x' }] },
    { processes: [{ pid: process.pid }] },
  ];
  for (const data of bad) {
    await thawProcess.undo(data, world);
    expect(await thawProcess.verify(data, world)).toMatchObject({ is: 'not-undone' });
  }
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom('processes', 'pid'), fc.jsonValue()), async (data) => {
      await thawProcess.undo(data as JsonObject, world);
      expect((await thawProcess.verify(data as JsonObject, world)).is).not.toBe('undone');
    }),
  );
});
