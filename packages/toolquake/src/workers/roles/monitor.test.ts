import { expect, test } from 'vitest';
import type { JsonObject } from '@toolquake/sdk/core';
import { PLAIN_PROBE } from '../../core/expectation.js';
import { monitor, type MonitorConfig } from './monitor.js';

test('a target that cannot be asked at all gives no sample, but a note', async () => {
  const over = new AbortController();
  const said: JsonObject[] = [];
  const target = { name: 'shop', kind: 'url', url: 'http://127.0.0.1:9/mcp', headers: { authorization: '${NOT_SET_ANYWHERE}' } } as const;
  await monitor.run(
    {
      runId: 'run-1',
      startedAtHostMs: 0,
      target: { target, plan: PLAIN_PROBE, manifest: undefined, labels: {} },
      everyMs: 5,
      failures: 2,
      slowFactor: 2,
      slowOver: 10,
      quietMs: 0,
      webhooks: [],
    } satisfies MonitorConfig,
    {
      env: {},
      signal: over.signal,
      hostMs: () => performance.now(),
      emit: (message) => {
        said.push(message);
        over.abort();
      },
    },
  );
  expect(said[0]).toEqual({
    kind: 'note',
    text: 'The monitor saw nothing: the environment variable NOT_SET_ANYWHERE is not set',
  });
});
