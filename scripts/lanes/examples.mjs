// Every examples/<story>/main.mjs is a program that checks itself: exit 0, or the lane fails and shows what it said.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../child.mjs';
import { root } from '../folders.mjs';
import { budget, dim, duration, green, indent, red } from '../terminal.mjs';

/** A folder without main.mjs is a forgotten example, so it is listed (and fails), not passed over. */
function exampleFolders() {
  const folder = join(root, 'examples');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map((entry) => `examples/${entry.name}`)
    .sort();
}

/** Runs the examples one after the other within the lane's budget; filters select by name. */
export async function runExamples(lane, filters) {
  const all = exampleFolders();
  const words = filters.filter((filter) => !filter.startsWith('-'));
  const chosen = filters.length === 0 ? all : all.filter((example) => words.some((word) => example.includes(word)));
  const nothing = all.length === 0 ? 'no examples yet' : 'no match';
  if (chosen.length === 0) return { verdict: 'nothing to run', passed: 0, failed: 0, ms: 0, reasons: [nothing] };

  let passed = 0;
  let ms = 0;
  const reasons = [];
  for (const example of chosen) {
    const result = await run([process.execPath, `${example}/main.mjs`], { cwd: root, budgetMs: Math.max(1, lane.budgetMs - ms) });
    ms += result.ms;
    const isFine = result.code === 0 && !result.isOverBudget;
    console.log(`  ${isFine ? green('✓') : red('✗')} ${example} ${dim(duration(result.ms))}`);
    if (isFine) {
      passed++;
      continue;
    }
    console.log(indent(result.output));
    reasons.push(
      result.isOverBudget
        ? `${example} killed: the lane is over its budget of ${budget(lane.budgetMs)}`
        : `${example} exit code ${result.code}`,
    );
  }
  return { verdict: reasons.length > 0 ? 'failed' : 'passed', passed, failed: reasons.length, ms, reasons };
}
