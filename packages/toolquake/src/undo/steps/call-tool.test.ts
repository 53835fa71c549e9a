import { expect, test } from 'vitest';
import { callTool } from './call-tool.js';

const world = () => ({ env: {}, signal: AbortSignal.timeout(5000) });

test('a target that does not answer is not undone: it may come back as it was left', async () => {
  const target = { kind: 'url', name: 'shop', url: 'http://127.0.0.1:1/mcp' };
  const data = { target, tool: 'enable', arguments: {}, check: { tool: 'flags', path: 'checkout' }, before: true };
  await expect(callTool.undo(data, world())).rejects.toThrow();
  expect(await callTool.verify(data, world())).toMatchObject({ is: 'not-undone' });
});

test.each([{}, { target: {}, tool: 'x', arguments: {} }, { target: {}, tool: 'x', arguments: {}, check: { tool: 'y', path: 'a[' } }])(
  '%j is no step',
  async (data) => {
    await expect(callTool.undo(data as never, world())).rejects.toThrow(/needs/);
  },
);
