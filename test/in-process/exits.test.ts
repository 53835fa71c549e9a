/** A process with a run in it ends by itself: no timer and no patch of ours keeps it alive. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const sdk = (name: string): string => JSON.stringify(new URL(`../../packages/sdk/dist/${name}`, import.meta.url).href);

/** What a program prints. It is killed, and the test fails, when it does not end by itself. */
const output = (program: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 20_000 }).toString().trim();

const IMPORTS = `const { startPlan } = await import(${sdk('controller/index.js')}); const sdk = await import(${sdk('interceptors/index.js')});`;

test('rules that were injected for a while and a run that nobody stopped', () => {
  const program = `${IMPORTS}
    const run = startPlan({ rules: [] }, { isAllowed: () => true });
    sdk.interceptGlobalFetch(run);
    run.inject({ fault: 'latency' });
    run.use({ fault: 'latency' });
    console.log(run.list().length);`;
  expect(output(program)).toBe('2');
});

test('a call that hangs for ever, and one that is delayed is waited for', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pay', arguments: {} } });
  const program = `${IMPORTS}
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} };
    const plain = async () => Response.json({ jsonrpc: '2.0', id: 1, result: {} });
    const run = startPlan({ rules: [] }, { isAllowed: () => true });
    const { fetch } = sdk.interceptFetch(run, { fetch: plain });
    run.use({ fault: 'latency', params: { addedMs: 20 } });
    fetch('http://localhost/', post).then(async (response) => {
      console.log(await response.text());
      run.use({ fault: 'hang' });
      await fetch('http://localhost/', post);
      console.log('never');
    });`;
  expect(output(program)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
});

test('importing any entry changes nothing, starts nothing, and reads no variable', () => {
  const program = fileURLToPath(new URL('import-everything.mjs', import.meta.url));
  const said = JSON.parse(execFileSync(process.execPath, [program], { timeout: 60_000 }).toString()) as { entries: number; seen: string[] };
  expect(said.seen).toEqual([]);
  expect(said.entries).toBeGreaterThan(10);
});
