import { expect, test } from 'vitest';
import { createTestRig, exampleRequest, faultContract } from '../testing/index.js';
import { listenCut } from './listen-cut.js';

faultContract(listenCut, { example: { mode: 'cut', afterMs: 100 } });

const listen = (id: number | string): Record<string, unknown> =>
  exampleRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id, era: 'modern' });

test('acknowledges in the place of the server, and falls silent', () => {
  const rig = createTestRig(listenCut, { era: 'modern' });
  rig.request(listen('s'));
  rig.clock.advance(60_000);
  expect(rig.ends.messages('to-server')).toEqual([]);
  expect(rig.ends.messages('to-client')).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 's' }, notifications: { toolsListChanged: true } },
    },
  ]);
});

test('lets the subscription begin, and cuts its stream', () => {
  const rig = createTestRig(listenCut, { era: 'modern', params: { mode: 'cut', afterMs: 100 }, transport: 'http' });
  rig.request(listen(7));
  rig.clock.advance(60_000);
  expect(rig.ends.log.map(({ what, how, atMs }) => [how ?? what, atMs])).toEqual([
    ['message', 0],
    ['end', 100],
  ]);
});

test('has no stream to cut on a pipe', () => {
  const rig = createTestRig(listenCut, { era: 'modern', params: { mode: 'cut' }, transport: 'stdio' });
  rig.request(listen(7));
  expect(rig.outcomes).toEqual(['not-delivered: there is no stream of its own for a subscription']);
  expect(rig.ends.messages('to-server')).toHaveLength(1);
});
