// How many retries are right for my system? warehouse.yaml describes it; the simulator tries three ways, ten seeds each.
// Run: node examples/own-system/main.mjs
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const toolquake = path('../../packages/toolquake/bin/toolquake.js');

const text = execFileSync(process.execPath, [toolquake, 'simulate', path('warehouse.yaml'), '--json'], { encoding: 'utf8' });
const { rows } = JSON.parse(text);
const [none, five, budget] = rows.map(
  ({ figures }) =>
    (name) =>
      figures[name].mean,
);

for (const { variant, figures } of rows) {
  const percent = (100 * figures.failedShare.mean).toFixed(1);
  console.log(`${variant}: ${percent} % of tasks failed, ${figures.doubleEffects.mean} reservations made twice per run`);
}

// More retries keep an overloaded server overloaded, and do what was done already; a budget does neither.
assert.ok(five('failedShare') > none('failedShare'), 'five retries make it worse');
assert.ok(five('doubleEffects') > 10 * budget('doubleEffects'), 'and reserve twice');
assert.ok(budget('failedAfter') < 0.05, 'within a budget it recovers');
