import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSystemdUnit, systemdPolicy } from './systemd.js';

const shown = (lines: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ Restart: 'always', MainPID: '812', NRestarts: '3', LoadState: 'loaded', ActiveState: 'active', ...lines })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

describe('a unit of systemd', () => {
  test('is read whatever the order of its lines', () => {
    expect(parseSystemdUnit(shown())).toEqual({
      Restart: 'always',
      MainPID: '812',
      NRestarts: '3',
      LoadState: 'loaded',
      ActiveState: 'active',
    });
  });

  test('is nothing where a line is missing or strange', () => {
    expect(parseSystemdUnit('')).toBeUndefined();
    expect(parseSystemdUnit('MainPID=1\n')).toBeUndefined();
    expect(parseSystemdUnit(shown({ Restart: 'a b; c' }))).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => void parseSystemdUnit(text)));
  });

  test.each([
    ['always', 'TERM', true],
    ['always', 'KILL', true],
    ['on-failure', 'KILL', true],
    ['on-failure', 'TERM', false],
    ['on-abnormal', 'KILL', true],
    ['on-abort', 'INT', false],
    ['on-success', 'TERM', true],
    ['on-success', 'KILL', false],
    ['on-watchdog', 'KILL', false],
    ['no', 'KILL', false],
  ] as const)('with Restart=%s and SIG%s is restarted: %s', (restart, signal, restarts) => {
    expect(systemdPolicy(parseSystemdUnit(shown({ Restart: restart }))!, signal).restarts).toBe(restarts);
  });

  test('that is not active, or not known, is not killed', () => {
    expect(systemdPolicy(parseSystemdUnit(shown({ ActiveState: 'failed' }))!, 'KILL')).toMatchObject({ restarts: false });
    expect(systemdPolicy(parseSystemdUnit(shown({ LoadState: 'not-found' }))!, 'KILL')).toMatchObject({ restarts: false });
  });
});
