/** The official suite says the same of a client of both eras, check by check, through a forward proxy as without one. */
import { fileURLToPath } from 'node:url';
import type { JournalEntry } from '@toolquake/sdk/core';
import { beforeAll, expect, test } from 'vitest';
import { clientFigures } from './figures.js';
import { openGate } from './gate.js';
import { idleRules, startProxy, type StartedProxy } from './proxies.js';
import { differences, judge, node22, tally, type Verdicts } from './referee.js';

const client = fileURLToPath(new URL('../clients/conformance/main.mjs', import.meta.url));

const { words: all, scenarios, passed } = clientFigures;

/** How long a client may take, waiting included: the suite starts all of them at once, and they pass the gate three at a time. */
const CLIENT_TIMEOUT_MS = 300_000;

async function run(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Verdicts> {
  const gate = await openGate(3);
  const command = ['--command', `${node22()} ${client}`, '--timeout', String(CLIENT_TIMEOUT_MS)];
  return judge(['client', ...command, ...words], { ...env, TOOLQUAKE_GATE: String(gate.port) }).finally(() => gate.close());
}

/** The suite itself talks to nobody; its clients inherit what it is told. */
const by = (proxy: StartedProxy): NodeJS.ProcessEnv => ({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url });

/** Differences to the direct run. What differs is run again alone, directly and proxied, and must differ again. */
async function compare(expected: Verdicts, rules?: readonly object[]): Promise<[string[], readonly JournalEntry[]]> {
  const proxy = await startProxy({ options: ['--mode', 'forward'], ...(rules === undefined ? {} : { rules }) });
  const found = differences(expected, await run(all, by(proxy)));
  if (found.length > 0) process.stderr.write(`Run again, because these differed:\n${found.join('\n')}\n`);
  const confirmed: string[] = [];
  for (const scenario of new Set(found.map((line) => line.slice(0, line.indexOf(': '))))) {
    const alone = ['--scenario', scenario];
    confirmed.push(...differences(await run(alone), await run(alone, by(proxy))));
  }
  return [confirmed, await proxy.stop()];
}

let expected: Verdicts;
beforeAll(async () => {
  expected = await run(all);
  if (tally(expected).failed === 0) return;
  const before = expected;
  expected = await run(all);
  // Also what became well is told: a client that needs a second run every day is a broken one.
  process.stderr.write(`The direct run was made again. What changed:\n${differences(before, expected).join('\n')}\n`);
});

test('the client passes every scenario', () => {
  expect(tally(expected)).toMatchObject({ scenarios, passed, failed: 0, failing: [] });
});

test('every verdict is the same through a forward proxy', async () => {
  expect((await compare(expected))[0]).toEqual([]);
});

test('every verdict is the same through a forward proxy with a plan that matches nothing', async () => {
  const [found, journal] = await compare(expected, idleRules);
  expect(found).toEqual([]);
  // Only a proxy that read the traffic has calls to tell of.
  expect(journal.filter(({ kind }) => kind === 'call').length).toBeGreaterThan(30);
  expect(journal.filter(({ kind }) => kind === 'fault')).toEqual([]);
});

test('a rule that fires on the way of a client is found out', async () => {
  const alone = ['--scenario', 'tools_call'];
  const proxy = await startProxy({ options: ['--mode', 'forward'], rules: [{ fault: 'http-status', when: { method: 'tools/list' } }] });
  const found = differences(await run(alone), await run(alone, by(proxy)));
  await proxy.stop();
  expect(found).toContain('tools_call: + tool-add-numbers=FAILURE');
});
