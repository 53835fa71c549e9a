/** This host is watched while it works. */
import { realClock } from '@toolquake/sdk/interceptors';
import { expect, test } from 'vitest';
import type { Sample } from '../../../packages/toolquake/src/core/sample.js';
import { watchHost } from '../../../packages/toolquake/src/managers/watch-host.js';
import { until } from './servers.js';

test('samples of this host are shares of memory and processors, and end with the run', async () => {
  const samples: Sample[] = [];
  const stop = new AbortController();
  const watched = watchHost({
    everyMs: 30,
    nowMs: () => performance.now(),
    clock: realClock,
    signal: stop.signal,
    onSample: (sample) => samples.push(sample),
  });
  await until(() => samples.length >= 3);
  stop.abort();
  await watched;
  const count = samples.length;
  for (const sample of samples) {
    expect(sample.source).toBe('host');
    if (sample.source !== 'host') continue;
    expect(sample.memory > 0 && sample.memory < 1 && sample.cpu >= 0 && sample.cpu <= 1).toBe(true);
  }
  expect(samples).toHaveLength(count);
});
