/** Control of a running proxy is part of its journal, and `report` judges the rules that came and went. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJournal } from '../../packages/toolquake/src/operations/journal-file.js';
import { createDesk } from '../cli/harness.js';
import { httpProxy } from './harness.js';

const PLAN = `version: 1
rules:
  - { id: early, fault: http-status, params: { status: 500 }, when: { tool: nobody } }
  - { id: down, fault: http-status, params: { status: 502 }, when: { tool: refund } }
`;
const NEXT = `version: 1
rules:
  - { id: down, fault: http-status, params: { status: 502 }, when: { tool: refund } }
  - { id: fresh, fault: http-status, params: { status: 504 }, when: { tool: refund } }
`;

async function journalled() {
  const desk = createDesk({ 'plan.yaml': PLAN, 'next.yaml': NEXT });
  const path = join(desk.folder, 'run.jsonl');
  const proxy = await httpProxy({ argv: ['--plan', join(desk.folder, 'plan.yaml'), '--journal', path] });
  const report = (...words: string[]) => desk.run(['report', 'run.jsonl', ...words]);
  return { ...proxy, path, report };
}

test('every change is an entry, without parameters; report knows the rules that came', async () => {
  const { admin, path, report, stop, statusOf, stderr } = await journalled();
  expect(await statusOf('refund')).toBe(502);
  const params = { status: 503, message: 'hunter2' };
  await admin('POST', '/chaos/inject', { fault: 'http-status', params, id: 'hit', when: { tool: 'echo' }, durationMs: 60_000 });
  expect(await statusOf('echo')).toBe(503);
  await admin('POST', '/chaos/inject', { fault: 'latency', id: 'miss', when: { tool: 'nobody' }, durationMs: 60_000 });
  await admin('POST', '/chaos/plan', NEXT);
  await admin('POST', '/chaos/kill');
  await admin('POST', '/chaos/revive');
  await admin('POST', '/chaos/clear', { faultId: 'hit' });
  await admin('POST', '/chaos/clear-all');
  await stop();

  const entries = await readJournal(path);
  const control = entries.filter((entry) => entry.kind === 'control');
  expect(control.map(({ what, by, added = [], removed = [] }) => [what, by, added.map(({ id }) => id), removed])).toEqual([
    ['inject', 'admin', ['hit'], []],
    ['inject', 'admin', ['miss'], []],
    ['reload', 'admin', ['fresh'], ['early']],
    ['kill', 'admin', [], []],
    ['revive', 'admin', [], []],
    ['clear', 'admin', [], ['hit']],
    ['clear-all', 'admin', [], ['miss']],
  ]);
  expect(JSON.stringify(control)).not.toContain('hunter2');
  expect(entries.at(-1)).toMatchObject({ kind: 'end', fired: { early: 0, down: 1, hit: 1, miss: 0, fresh: 0 } });
  expect(stderr.received().toString()).toMatch(
    /2 of 5 rules fired[^]*early +http-status +removed before it fired[^]*miss +latency +never fired/,
  );

  const json = await report('--json');
  expect(json.code).toBe(4);
  expect(JSON.parse(json.stdout)).toMatchObject({ neverFired: ['miss', 'fresh'] });
  expect((await report()).stdout).toMatch(/early +http-status +removed/);
});

test('an injected rule that expires unused is an entry, and exit 4', async () => {
  const { admin, path, report, stop } = await journalled();
  await admin('POST', '/chaos/plan', 'version: 1\nrules: []\n');
  await admin('POST', '/chaos/inject', { fault: 'latency', id: 'short', when: { tool: 'nobody' }, durationMs: 1 });
  for (;;) if ((await admin('GET', '/chaos/status')).body['faults']?.toString() === '') break;
  await stop();
  expect((await readJournal(path)).filter((entry) => entry.kind === 'control')).toMatchObject([
    { what: 'reload', removed: ['early', 'down'] },
    { what: 'inject', lastsMs: 1 },
    { what: 'expire', by: 'time', removed: ['short'] },
  ]);
  const run = await report('--json');
  expect(run.code).toBe(4);
  expect(JSON.parse(run.stdout)).toMatchObject({ neverFired: ['short'] });
});
