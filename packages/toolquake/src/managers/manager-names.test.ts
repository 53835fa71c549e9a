import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedName, nameRefusal, readManagerSpec } from './manager-names.js';

const kinds = ['pm2', 'systemd', 'docker'] as const;

test.each(['demo-server', 'shop.api', 'a', 'X_1'])('%s is a name', (name) => {
  for (const kind of kinds) expect(nameRefusal(kind, name)).toBeUndefined();
});

test.each(['', '-f', '--force', 'a b', 'a;b', 'a\nb', 'a\0b', '$(x)', '`x`', '../x', 'a/b', '/x/', '*', 'ä', 'a'.repeat(300)])(
  '%j is refused everywhere',
  (name) => {
    for (const kind of kinds) expect(() => checkedName(kind, name)).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENT' }));
  },
);

test('what PM2 would take for several processes, or for an id, is no name', () => {
  for (const name of ['all', '0', '12']) expect(nameRefusal('pm2', name)).toContain('PM2 takes this word');
  expect(nameRefusal('docker', '0')).toBeUndefined();
});

test('whatever is let through has only harmless characters, and is no option (invariant 24)', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('-', ';', '\n', ' ', '/', 'a', '1', '$') })),
      (kind, name) => {
        if (nameRefusal(kind, name) === undefined) expect(name).toMatch(/^[A-Za-z0-9][\w.:@-]*$/);
      },
    ),
  );
});

test('a manager comes back from a ledger as it was, and nothing else does', () => {
  for (const spec of [
    { kind: 'pm2', name: 'demo' },
    { kind: 'systemd', name: 'demo.service' },
    { kind: 'docker', name: 'demo' },
    { kind: 'pid', pid: 7 },
    { kind: 'command', command: ['node', 'server.js'] },
    { kind: 'own' },
  ])
    expect(readManagerSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  for (const bad of [
    undefined,
    null,
    7,
    {},
    { kind: 'x' },
    { kind: 'pm2' },
    { kind: 'docker', name: '-f' },
    { kind: 'pid', pid: 1 },
    { kind: 'command', command: [] },
  ])
    expect(readManagerSpec(bad)).toBeUndefined();
  fc.assert(fc.property(fc.anything(), (value) => void readManagerSpec(value)));
});
