import { expect, test } from 'vitest';
import { actionWorld, configured } from '../fixtures/action-world.js';
import { callTool } from './call-tool.js';

const undo = { tool: 'enable', arguments: {} };
const check = { tool: 'flags', arguments: {}, path: 'checkout' };

test.each<[object, boolean, RegExp]>([
  [{ tool: 'disable' }, false, /nobody knows how to take it back/],
  [{ tool: 'disable', undo }, false, /nobody could see/],
  [{ tool: 'disable', undo, check }, true, /./],
  [{ tool: 'flags', readOnly: true }, true, /./],
])('%j: feasible %s', async (params, isFeasible, words) => {
  const said = await callTool.feasibility(params as never, actionWorld());
  expect(said.isFeasible).toBe(isFeasible);
  if (!said.isFeasible) expect(said.why).toMatch(words);
});

test('a target with a secret in it is written into no ledger', async () => {
  const world = (headers: Record<string, string>, url = 'http://127.0.0.1:9/mcp') =>
    actionWorld({ upstream: configured({ kind: 'url', name: 'shop', url, headers }) });
  const feasible = async (given: ReturnType<typeof world>) =>
    (await callTool.feasibility({ tool: 'disable', undo, check }, given)).isFeasible;
  expect(await feasible(world({ 'X-Api-Key': 'abc' }))).toBe(false);
  expect(await feasible(world({ 'X-Api-Key': '${SHOP_KEY}', 'x-tenant': 'a' }))).toBe(true);
  expect(await feasible(world({}, 'http://me:secret@127.0.0.1:9/mcp'))).toBe(false);
  expect(await feasible(world({}, 'http://127.0.0.1:9/mcp?token=abc'))).toBe(false);
});

test('a lower stage calls less often, and at least once', () => {
  expect(callTool.scale({ tool: 'x', times: 10 }, 0.25)).toMatchObject({ times: 3 });
  expect(callTool.scale({ tool: 'x' }, 0.1)).toMatchObject({ times: 1 });
});
