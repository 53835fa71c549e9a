import { expect, test } from 'vitest';
import { freezeProcess } from './freeze-process.js';

test('freezes fewer replicas on a lower stage', () => {
  expect(freezeProcess.blast).toBe('server');
  expect(freezeProcess.scale({ replicas: 3, withChildren: true }, 0.5)).toEqual({ replicas: 2, withChildren: true });
});
