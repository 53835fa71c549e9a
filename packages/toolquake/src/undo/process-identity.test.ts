import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findProcess, identify, parseStat, readIdentity, signalProcess } from './process-identity.js';

const rest = '0 0 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 8675309 1 2';

test('a process is read whatever its name holds', () => {
  for (const name of ['node', 'a b', 'a) S 1 (b', 'x\ny', '']) {
    expect(parseStat(`4711 (${name}) T 12 ${rest}`)).toEqual({ pid: 4711, name, state: 'T', parent: 12, startTicks: 8675309 });
  }
});

test('what is no line of the kernel is nothing', () => {
  for (const text of ['', '4711', '4711 (node)', '4711 (node) S x', `x (node) S 1 ${rest}`, '4711 )node( S 1'])
    expect(parseStat(text)).toBeUndefined();
  fc.assert(fc.property(fc.string(), (text) => void parseStat(text)));
});

test('we are found, and nobody with another start time or of another boot', () => {
  const ourselves = identify(process.pid)!;
  expect(findProcess(ourselves)?.pid).toBe(process.pid);
  for (const other of [{ startTicks: ourselves.startTicks + 1 }, { bootId: 'another' }]) {
    expect(findProcess({ ...ourselves, ...other })).toBeUndefined();
    expect(signalProcess({ ...ourselves, ...other }, 'SIGKILL')).toBe(false);
  }
});

test('an identity survives a ledger; anything else is none', () => {
  const ourselves = identify(process.pid)!;
  expect(readIdentity(JSON.parse(JSON.stringify(ourselves)) as never)).toEqual(ourselves);
  for (const bad of [{}, { ...ourselves, pid: 1 }, { ...ourselves, pid: -5 }, { ...ourselves, pid: '7' }, { ...ourselves, bootId: '' }])
    expect(readIdentity(bad as never)).toBeUndefined();
});
