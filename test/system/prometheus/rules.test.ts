/** The rules and the dashboard for Prometheus and Grafana, judged by Prometheus' own tool and by what signals really expose. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSignals } from '@toolquake/sdk/signals';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { worlds } from '../../signals/worlds.js';
import { folderFor, run } from '../dependency.js';

const inPackage = (name: string): string => fileURLToPath(new URL(`../../../packages/sdk/monitoring/${name}`, import.meta.url));
const rulesFile = inPackage('mcp-server.rules.yaml');
const folder = folderFor({});
afterAll(() => folder.remove());

type Rules = { groups: { rules: { alert?: string; record?: string; expr: string }[] }[] };
const rules = (parse(readFileSync(rulesFile, 'utf8')) as Rules).groups.flatMap((group) => group.rules);

/** Names of everything that signals expose, with each kind of thing seen once. */
async function exposedNames(): Promise<Set<string>> {
  const heap = { heapUsedBytes: 1, heapTotalBytes: 1, heapLimitBytes: 4, heapAfterGcBytes: 1 };
  const process = { ...heap, eventLoopDelayP99Seconds: 0, eventLoopUtilization: 0, rssBytes: 1 };
  const timers: (() => void)[] = [];
  let nowMs = 0;
  const signals = createSignals({
    clock: { nowMs: () => nowMs, schedule: (_, action) => (timers.push(action), () => {}) },
    process: { read: () => process, nextMinute() {}, stop() {} },
    pools: { db: () => ({ max: 1, total: 1, idle: 1, waiting: 0 }) },
  });
  // Growth is known after some hours.
  for (; nowMs < 5 * 3_600_000; nowMs += 60_000) timers.splice(0).forEach((action) => action());
  const world = await worlds[0].open(signals);
  await world.client.callTool({ name: 'fails', arguments: {} });
  await world.stop();
  const text = signals.metrics();
  const found = await run(['promtool', 'check', 'metrics'], { input: text });
  // OpenTelemetry's own name for it; the linter would keep the suffix for histograms.
  expect(found.stderr.trim()).toBe('db_client_connection_count non-histogram and non-summary metrics should not have "_count" suffix');
  signals.stop();
  return new Set([...text.matchAll(/^([a-z]\w*)(?:\{| )/gm)].map(([, name]) => name!));
}

/** Metric names of an expression: whatever is no function, keyword, label or recording of ours. */
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:mcp_server|db_client|v8js|nodejs|process)_\w+(?=[{ )[]|$)/g)].map(([name]) => name);
const recordingsIn = (expr: string): string[] => [...expr.matchAll(/\bmcp:[\w:]+/g)].map(([name]) => name);
const LABELS = new Set(['mcp_method_name', 'mcp_protocol_version', 'db_client_connection_state', 'db_client_connection_pool_name']);

test('are valid, and every alert fires and keeps quiet when it is meant to', async () => {
  expect(await run(['promtool', 'check', 'rules', rulesFile])).toMatchObject({ code: 0 });
  const cases = readFileSync(new URL('mcp-server.rules.test.yaml', import.meta.url), 'utf8');
  const file = join(folder.path, 'rules.test.yaml');
  writeFileSync(file, cases.replace('[RULES]', JSON.stringify([rulesFile])));
  const { code, stdout, stderr } = await run(['promtool', 'test', 'rules', file]);
  expect(`${stdout}${stderr}`).toContain('SUCCESS');
  expect(code).toBe(0);
});

test('every alert has a case', () => {
  const cases = readFileSync(new URL('mcp-server.rules.test.yaml', import.meta.url), 'utf8');
  const alerts = rules.flatMap(({ alert }) => (alert === undefined ? [] : [alert]));
  expect(alerts.filter((alert) => !cases.includes(alert))).toEqual([]);
});

test('rules and dashboard ask for nothing but what is exposed or recorded', async () => {
  const exposed = await exposedNames();
  const recorded = new Set(rules.flatMap(({ record }) => (record === undefined ? [] : [record])));
  const dashboard = JSON.parse(readFileSync(inPackage('mcp-server.dashboard.json'), 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const asked = [...rules.map(({ expr }) => expr), ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))];
  expect(asked.length).toBeGreaterThan(25);
  expect(asked.flatMap(metricsIn).filter((name) => !LABELS.has(name) && !exposed.has(name))).toEqual([]);
  expect(asked.flatMap(recordingsIn).filter((name) => !recorded.has(name))).toEqual([]);
});

test('the expressions of the dashboard are valid', async () => {
  const dashboard = JSON.parse(readFileSync(inPackage('mcp-server.dashboard.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const expressions = dashboard.panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$job', 'shop').replaceAll('$__rate_interval', '5m')),
  );
  const file = join(folder.path, 'dashboard.rules.yaml');
  const asRules = { groups: [{ name: 'dashboard', rules: expressions.map((expr, index) => ({ record: `dashboard:${index}`, expr })) }] };
  writeFileSync(file, JSON.stringify(asRules));
  expect(await run(['promtool', 'check', 'rules', file])).toMatchObject({ code: 0 });
});
