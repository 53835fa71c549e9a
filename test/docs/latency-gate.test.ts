/** docs/latency-gate.md: the rates in its table are what the simulation tells today. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { NOISE } from '../../packages/toolquake/src/gates/latency/noise-model.js';
import { modelText, ratesMarkdown } from '../../packages/toolquake/src/gates/latency/render-rates.js';
import { simulateGates } from '../../packages/toolquake/src/gates/latency/simulate-gates.js';

const file = path.resolve(import.meta.dirname, '../../docs/latency-gate.md');
const [seed, trials] = [42, 300];

test('the table of rates is kept true (update it with: UPDATE=1 npx vitest run test/docs/latency-gate)', () => {
  const rows = [...simulateGates({ model: NOISE.usual, trials, seed })];
  const command = `\`toolquake bench simulate-gates --trials ${trials} --seed ${seed}\`: ${modelText(NOISE.usual)}.`;
  const text = readFileSync(file, 'utf8');
  const made = text.replace(
    /<!-- generated: rates -->\n[\s\S]*?<!-- end -->/,
    () => `<!-- generated: rates -->\n${command}\n\n${ratesMarkdown(rows)}<!-- end -->`,
  );
  if (process.env['UPDATE'] === '1') writeFileSync(file, made);
  expect(readFileSync(file, 'utf8')).toBe(made);
});
