import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forgetOperationKey, OPERATION_KEY_FILE, ownOperationKey, sharedOperationKey } from './operation-key.js';

const folder = (): string => mkdtempSync(join(tmpdir(), 'toolquake-key-'));

test('a run directory has one key, which only its owner may read, and every directory has another', () => {
  const [one, other] = [folder(), folder()];
  const key = sharedOperationKey(one);
  expect(key).toHaveLength(16);
  expect(sharedOperationKey(one)).toEqual(key);
  expect(sharedOperationKey(other)).not.toEqual(key);
  expect(ownOperationKey()).not.toEqual(ownOperationKey());
  expect(statSync(join(one, OPERATION_KEY_FILE)).mode & 0o777).toBe(0o600);
  expect(readdirSync(one)).toEqual([OPERATION_KEY_FILE]);
  forgetOperationKey(one);
  expect(readdirSync(one)).toEqual([]);
});

test('a file that is no key, or no folder at all, is told with what to do', () => {
  const directory = folder();
  writeFileSync(join(directory, OPERATION_KEY_FILE), 'zz');
  expect(() => sharedOperationKey(directory)).toThrow(/\.operation-key, cannot be made or read: it is no key/);
  expect(() => sharedOperationKey(join(directory, 'absent'))).toThrow(/cannot be made or read/);
});
