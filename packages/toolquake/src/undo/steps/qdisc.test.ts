import { expect, test } from 'vitest';
import { qdisc } from './qdisc.js';

test('counts a queue in a namespace that is gone as gone', async () => {
  const data = { interface: 'lo', handle: '3bf:', before: '', namespace: { path: '/run/netns/tq-none', inode: 1, device: 0 } };
  const world = { env: {}, signal: new AbortController().signal };
  await qdisc.undo(data, world);
  expect(await qdisc.verify(data, world)).toMatchObject({ is: 'gone' });
});
