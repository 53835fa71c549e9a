import { expect, test } from 'vitest';
import { ancestorsOf, commandOf, descendantsOf, isSameCommand, runningProcesses } from './process-table.js';
import { protection } from './protected-processes.js';

test('a command line is compared word by word, its program by name or path', () => {
  const running = ['/usr/bin/node', 'server.js', '--port', '7'];
  expect(isSameCommand(running, ['node', 'server.js', '--port', '7'])).toBe(true);
  expect(isSameCommand(running, ['/usr/bin/node', 'server.js', '--port', '7'])).toBe(true);
  for (const other of [
    [],
    ['node'],
    ['node', 'server.js --port 7'],
    ['/bin/node', 'server.js', '--port', '7'],
    ['ode', 'server.js', '--port', '7'],
  ])
    expect(isSameCommand(running, other)).toBe(false);
  expect(isSameCommand([], [])).toBe(false);
  expect(isSameCommand(['node server.js', '', ''], ['node', 'server.js'])).toBe(true);
  expect(isSameCommand(['node server.js', '', 'x'], ['node', 'server.js'])).toBe(false);
});

test('descendants come after their parents, and a circle ends', () => {
  const table = [
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 9],
    [1, 4],
  ].map(([pid = 0, parent = 0]) => ({ pid, parent, name: 'x', state: 'S', startTicks: 0 }));
  expect(descendantsOf(1, table)).toEqual([2, 3, 4]);
});

test('we know ourselves', () => {
  expect(commandOf(process.pid).length).toBeGreaterThan(0);
  expect(ancestorsOf(process.pid)[0]).toBe(process.ppid);
  expect(runningProcesses([0, 1, process.pid, process.pid]).map((one) => one.identity.pid)).toEqual([process.pid]);
});

test('what must never be touched says why', () => {
  for (const pid of [0, 1, -1, 1.5, Number.NaN, process.pid, process.ppid]) expect(protection(pid)).toBeDefined();
});
