// `npm run check`: everything that can be judged without running the product. One line per step; a failing step shows why.
//   npm run check                  all steps
//   npm run check -- lint types    some of them
import './require-node.mjs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { run } from './child.mjs';
import { root, tool } from './folders.mjs';
import { bold, dim, duration, green, indent, red } from './terminal.mjs';

const node = (...argv) => [process.execPath, ...argv];
const tsc7 = (...argv) => node(tool('typescript7/bin/tsc'), ...argv);

/** Judged against dist, so built first: without it every step below would judge an older state. */
const build = { name: 'build', about: 'tsc and rolldown', commands: [node('scripts/build.mjs')] };

/** Longest first: with few cores, a long step started last would be waited for alone. */
const steps = [
  {
    name: 'types',
    about: 'TypeScript 7, tests included',
    // The packages alone (no DOM in toolquake, no Node in the sdk), then everything together with its tests.
    commands: ['packages/sdk/tsconfig.json', 'packages/sdk/tsconfig.testing.json', 'packages/toolquake/tsconfig.json', 'tsconfig.json'].map(
      (project) =>
        // Not composite: build state written by another version of TypeScript would make the next build start over.
        tsc7('-p', project, '--noEmit', '--composite', 'false', '--pretty', 'false'),
    ),
  },
  { name: 'shape', about: 'packed packages: publint, attw', isOurs: true, commands: [node('scripts/checks/package-shape.mjs')] },
  {
    name: 'unused',
    about: 'code and dependencies: knip',
    commands: [node(tool('knip/bin/knip.js'), '--no-progress', '--no-config-hints')],
  },
  { name: 'api', about: 'report of the sdk', isOurs: true, commands: [node('scripts/checks/api-report.mjs')] },
  { name: 'imports', about: 'layers, cycles, purity', isOurs: true, commands: [node('scripts/checks/imports.mjs')] },
  { name: 'lint', about: 'oxlint, type-aware', commands: [node(tool('oxlint/bin/oxlint'), '.')] },
  { name: 'format', about: 'oxfmt; repair with "npm run format"', commands: [node(tool('oxfmt/bin/oxfmt'), '--check')] },
  { name: 'size', about: 'sdk root entry, gzipped', isOurs: true, commands: [node('scripts/checks/size.mjs')] },
  { name: 'hosts', about: 'no registry host names', isOurs: true, commands: [node('scripts/checks/registry-hosts.mjs')] },
];

// A step that hangs is a failed step; the slowest takes a few seconds.
const STEP_BUDGET_MS = 180_000;

async function perform(step) {
  const started = performance.now();
  const results = [];
  for (const argv of step.commands) {
    results.push(await run(argv, { cwd: root, budgetMs: STEP_BUDGET_MS }));
  }
  const failed = results.filter((result) => result.code !== 0);
  // Our own checks end with a measure ("28 modules", "9.1 kB of 15 kB"): what was judged matters as much as that it passed.
  const measure =
    step.isOurs && failed.length === 0 ? results.map((result) => `: ${result.output.trim().split('\n').at(-1)}`).join('') : '';
  const took = dim(duration(performance.now() - started).padStart(7));
  console.log(`  ${failed.length > 0 ? red('✗') : green('✓')} ${step.name.padEnd(8)} ${took}  ${dim(step.about + measure)}`);
  for (const { output, code, isOverBudget } of failed) {
    console.log(indent(isOverBudget ? `killed after ${duration(STEP_BUDGET_MS)}\n${output}` : output || `exit code ${code}, no output`));
  }
  return failed.length === 0;
}

function choose(names) {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown step "${unknown.join('", "')}". Steps: ${steps.map((step) => step.name).join(', ')}.`);
    process.exit(2);
  }
  return names.length === 0 ? steps : steps.filter((step) => names.includes(step.name));
}

const started = performance.now();
const chosen = choose(process.argv.slice(2));
const failures = [];
const queue = [...chosen];
async function work() {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    if (!(await perform(step))) failures.push(step.name);
  }
}

console.log(bold('Static checks'));
// A failed build fails the check, but the other steps still say what they can: one run, all the news.
if (!(await perform(build))) failures.push(build.name);
await Promise.all(Array.from({ length: availableParallelism() }, work));

const total = dim(`in ${duration(performance.now() - started)}`);
if (failures.length === 0) console.log(`${green(`All ${chosen.length + 1} steps passed`)} ${total}`);
else console.log(`${red(`${failures.length} of ${chosen.length + 1} steps failed: ${failures.join(', ')}`)} ${total}`);
process.exitCode = failures.length === 0 ? 0 : 1;
