import { expect, test } from 'vitest';
import { hostMs } from '../host-clock.js';
import { holdSessions } from './hold-sessions.js';

test('sessions that are not let in are counted, knock again, and end with the run', async () => {
  const said: Record<string, unknown>[] = [];
  const controller = new AbortController();
  const target = { kind: 'command', name: 'nobody', command: ['/nowhere/server'] };
  const config = { target, call: { tool: 'x', arguments: {}, timeoutMs: 100 }, sessions: 5, everyMs: 10, startedAtHostMs: hostMs() };
  const emit = (message: Record<string, unknown>): void => {
    said.push(message);
    if (message['kind'] === 'holding') controller.abort();
  };
  await holdSessions.run(config, { env: {}, signal: controller.signal, emit, hostMs });
  const holding = said.find(({ kind }) => kind === 'holding');
  expect(holding).toMatchObject({ wanted: 5, open: 0, refused: 5 });
  expect(holding).toHaveProperty('ends.broken');
});
