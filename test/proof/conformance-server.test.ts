/** The official suite says the same of a server of both eras, check by check, with the proxy in front of it as without it. */
import type { JournalEntry } from '@toolquake/sdk/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { startFixture } from '../servers/fixture/server.mjs';
import { serverFigures } from './figures.js';
import { idleRules, startProxy, type ProxyRequest } from './proxies.js';
import { differences, judge, tally, type Verdicts } from './referee.js';

/** A server of its own for each run, so that no run sees what another left behind. */
async function direct(words: readonly string[]): Promise<Verdicts> {
  const server = await startFixture();
  try {
    return await judge(['server', '--url', server.url, ...words]);
  } finally {
    await server.stop();
  }
}

async function proxied(words: readonly string[], { options, rules }: Partial<ProxyRequest>): Promise<[Verdicts, readonly JournalEntry[]]> {
  const server = await startFixture();
  const proxy = await startProxy({ options: ['--upstream', server.url, ...(options ?? [])], ...(rules === undefined ? {} : { rules }) });
  const verdicts = await judge(['server', '--url', proxy.url, ...words]).finally(() => server.stop());
  return [verdicts, await proxy.stop()];
}

/**
 * Differences between direct and proxied, and the journals. The suite gives some answers half a second, so a busy machine
 * can cost a verdict on either side: what differs is run again on both, and must differ again.
 */
async function compare(
  words: readonly string[],
  expected: Verdicts,
  request: Partial<ProxyRequest>,
): Promise<[string[], readonly JournalEntry[]]> {
  const [found, journal] = await proxied(words, request);
  const first = differences(expected, found);
  if (first.length === 0) return [first, journal];
  process.stderr.write(`Run again, because these differed:\n${first.join('\n')}\n`);
  const again = await direct(words);
  const [foundAgain, journalAgain] = await proxied(words, request);
  return [differences(again, foundAgain), journalAgain];
}

describe.each(serverFigures)('$words', ({ words, scenarios, passed, failed }) => {
  let expected: Verdicts;
  beforeAll(async () => {
    expected = await direct(words);
    if (tally(expected).passed >= passed) return;
    const before = expected;
    expected = await direct(words);
    // Also what became well is told: a fixture that needs a second run every day is a broken one.
    process.stderr.write(`The direct run was made again. What changed:\n${differences(before, expected).join('\n')}\n`);
  });

  test('the fixture passes all but the extension that its SDK does not have', () => {
    expect(tally(expected)).toMatchObject({ scenarios, passed, failed });
    expect(tally(expected).failing.filter((scenario) => !scenario.startsWith('tasks-'))).toEqual([]);
  });

  test('every verdict is the same without a plan', async () => {
    expect((await compare(words, expected, {}))[0]).toEqual([]);
  });

  test('every verdict is the same with a plan that matches nothing', async () => {
    const [found, journal] = await compare(words, expected, { rules: idleRules });
    expect(found).toEqual([]);
    // Only a proxy that read the traffic has calls to tell of.
    expect(journal.filter(({ kind }) => kind === 'call').length).toBeGreaterThan(10);
    expect(journal.filter(({ kind }) => kind === 'fault')).toEqual([]);
  });
});

test('a proxy that is not transparent is found out: another Host changes one verdict, a rule that fires another', async () => {
  const expected = await direct(['--suite', 'active']);
  const [renamed] = await proxied(['--suite', 'active'], { options: ['--rewrite-host'] });
  expect(differences(expected, renamed)).toEqual([
    'dns-rebinding-protection: - localhost-host-rebinding-rejected=SUCCESS',
    'dns-rebinding-protection: + localhost-host-rebinding-rejected=FAILURE',
  ]);
  const [broken] = await proxied(['--suite', 'active'], { rules: [{ fault: 'empty-result', when: { tool: 'test_simple_text' } }] });
  expect(differences(expected, broken)).toEqual([
    'tools-call-simple-text: - tools-call-simple-text=SUCCESS',
    'tools-call-simple-text: + tools-call-simple-text=FAILURE',
  ]);
});
