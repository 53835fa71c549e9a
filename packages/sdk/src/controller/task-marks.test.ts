import { expect, test } from 'vitest';
import { handClock } from '../core/fixtures/hand-clock.js';
import type { JournalEntry } from '../core/journal.js';
import { createTaskMarks } from './task-marks.js';

function rig() {
  const clock = handClock();
  const told: JournalEntry[] = [];
  return { clock, told, tasks: createTaskMarks({ clock, startedAtMs: 0, journal: (entry) => void told.push(entry) }) };
}

test('a task that begins and ends is told, one that nobody named gets a name', () => {
  const { clock, told, tasks } = rig();
  expect(tasks.start('checkout')).toBe('checkout');
  clock.advance(5);
  expect(tasks.end(undefined, 'failed')).toBe('checkout');
  expect(tasks.start()).toBe('task-2');
  expect(tasks.current).toBe('task-2');
  expect(told).toEqual([
    { kind: 'boundary', atMs: 0, task: 'checkout', state: 'started' },
    { kind: 'boundary', atMs: 5, task: 'checkout', state: 'ended', outcome: 'failed' },
    { kind: 'boundary', atMs: 5, task: 'task-2', state: 'started' },
  ]);
});

test('what makes no sense is refused, and changes nothing', () => {
  const { told, tasks } = rig();
  expect(() => tasks.end()).toThrow(/No task is going on/);
  for (const name of ['', '  ', 'x'.repeat(201), 'a\nb']) expect(() => tasks.start(name)).toThrow(/printable/);
  tasks.start('a');
  expect(() => tasks.start('b')).toThrow(/"a" is still going on/);
  expect(() => tasks.end('b')).toThrow(/is "a", not "b"/);
  expect(tasks.current).toBe('a');
  expect(told).toHaveLength(1);
});
