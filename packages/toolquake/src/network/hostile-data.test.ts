/** Undo data that somebody tampered with is refused before a command is started: nothing of it becomes an argument. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@toolquake/sdk/core';
import * as steps from '../undo/steps/index.js';
import { readNamespace } from './namespace.js';
import { runTrusted } from './trusted-command.js';

const world = { env: { TOKEN: 'x' }, signal: new AbortController().signal };
const good: Readonly<Record<string, JsonObject>> = {
  'nft-table': { name: 'TQ-5f1c09aa-03be' },
  'iptables-chain': { name: 'TQ-5f1c09aa-03be', commands: ['iptables'], tables: ['filter'] },
  qdisc: { interface: 'tqnone0', handle: '3bf:', before: '' },
};

const hostile = fc.oneof(
  fc.constantFrom(
    '--help',
    '-j',
    'TQ-5f1c09aa-03be\n',
    'TQ-5f1c09aa-03be; flush ruleset',
    'inet',
    '',
    '../x',
    '$(id)',
    'OUTPUT',
    '/bin/sh',
    'TQ-5F1C09AA-03BE',
  ),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(null, 0, -1, 1.5, true, [], {}, ['-h'], [['iptables']], { toString: 1 }),
);

describe.each(Object.entries(good))('%s', (kind, data) => {
  const step = Object.values(steps).find((one) => one.kind === kind);
  const keys = Object.keys(data).filter((key) => key !== 'before');

  test.each(keys)('refuses a "%s" that it did not write', async (key) => {
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        // An interface of another name is still a name.
        fc.pre(!(key === 'interface' && typeof value === 'string' && /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/.test(value)));
        fc.pre(!(key === 'handle' && typeof value === 'string' && /^[1-9a-f][0-9a-f]{0,3}:$/.test(value)));
        await expect(step?.undo({ ...data, [key]: value }, world)).rejects.toThrow(/undo data|interface/);
        await expect(step?.verify({ ...data, [key]: value }, world)).rejects.toThrow(/undo data|interface/);
      }),
      { numRuns: 60 },
    );
  });
});

test.each([
  { path: '/etc/passwd', inode: 1, device: 4 },
  { path: '/proc/1/ns/net\n', inode: 1, device: 4 },
  { path: '/run/netns/../../tmp/x', inode: 1, device: 4 },
  { path: '--net', inode: 1, device: 4 },
  { path: '/run/netns/shop', inode: '1', device: 4 },
  { path: '/run/netns/shop', inode: -1, device: 4 },
  'shop',
  7,
])('refuses the namespace %j', (value) => {
  expect(() => readNamespace(value)).toThrow('none that was written there by us');
});

test.each(['a\nb', 'a\0b', 'a\rb'])('hands no word with a line break to a command: %j (invariant 24)', async (word) => {
  await expect(runTrusted({ command: 'ip', args: [word] })).rejects.toThrow('line break');
});
