import { expect, test } from 'vitest';
import { nftTable } from './nft-table.js';

test('counts a table in a namespace that is gone as gone', async () => {
  const data = { name: 'TQ-5f1c09aa-03be', namespace: { path: '/run/netns/tq-none', inode: 1, device: 0 } };
  const world = { env: {}, signal: new AbortController().signal };
  await nftTable.undo(data, world);
  expect(await nftTable.verify(data, world)).toMatchObject({ is: 'gone' });
});
