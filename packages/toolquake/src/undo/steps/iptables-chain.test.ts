import { expect, test } from 'vitest';
import { iptablesChain } from './iptables-chain.js';

test('counts a chain in a namespace that is gone as gone', async () => {
  const namespace = { path: '/run/netns/tq-none', inode: 1, device: 0 };
  const data = { name: 'TQ-5f1c09aa-03be', commands: ['iptables'], tables: ['filter'], namespace };
  const world = { env: {}, signal: new AbortController().signal };
  await iptablesChain.undo(data, world);
  expect(await iptablesChain.verify(data, world)).toMatchObject({ is: 'gone' });
});
