import { expect, test } from 'vitest';
import { rehearsal } from './rehearsal.js';

// What it does is tested where it is killed: test/experiments/doctor.test.ts.
test('is started by its name', () => {
  expect(rehearsal.role).toBe('rehearsal');
});
