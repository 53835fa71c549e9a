// `npm test`: sets up everything and runs every test, lane by lane.
//   npm test                          all lanes
//   npm test -- --lane unit,live      some lanes
//   npm test -- --lane unit latency   the rest of the line goes to vitest: filters, -t NAME, --update ...
import './require-node.mjs';
import { run } from './child.mjs';
import { root } from './folders.mjs';
import { runExamples } from './lanes/examples.mjs';
import { foldersOf, lanes } from './lanes/lanes.mjs';
import { provideNodes } from './lanes/node-binaries.mjs';
import { provideOwnFolders } from './lanes/own-folders.mjs';
import { SetupFailure } from './lanes/setup-failure.mjs';
import { provideSystemPackages } from './lanes/system-packages.mjs';
import { runVitest } from './lanes/vitest.mjs';
import { bold, budget, dim, duration, green, red, table, yellow } from './terminal.mjs';

function readArguments(argv) {
  const names = [];
  const vitestArguments = [];
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--lane') names.push(...(argv[++i] ?? '').split(','));
    else if (argv[i].startsWith('--lane=')) names.push(...argv[i].slice('--lane='.length).split(','));
    else vitestArguments.push(argv[i]);
  }
  const unknown = names.filter((name) => !lanes.some((lane) => lane.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown lane "${unknown.join('", "')}". Lanes: ${lanes.map((lane) => lane.name).join(', ')}.`);
    process.exit(2);
  }
  return { chosen: names.length === 0 ? lanes : lanes.filter((lane) => names.includes(lane.name)), vitestArguments };
}

async function provide(chosen) {
  const nodes = chosen.flatMap((lane) => [lane.node, lane.nodeForTests].filter((node) => node !== undefined));
  const binaries = nodes.length > 0 ? await provideNodes(nodes) : new Map();
  await provideSystemPackages(chosen.filter((lane) => lane.needsSystemPackages).flatMap(foldersOf));
  await provideOwnFolders(chosen.flatMap((lane) => lane.ownFolders ?? []));
  // All but the unit lanes use what is built. A stale build would test yesterday's code; when nothing changed this costs 0.3 s.
  if (chosen.some((lane) => lane.project !== 'unit')) {
    const { code } = await run([process.execPath, 'scripts/build.mjs'], { cwd: root, show: true });
    if (code !== 0) {
      throw new SetupFailure(
        'The build failed, so nothing was tested.',
        'Repair what it reports above; unit tests need no build: "npm test -- --lane unit".',
        1,
      );
    }
  }
  return binaries;
}

function summarise(results) {
  const paintedVerdict = { passed: green('passed'), failed: red('failed'), 'nothing to run': yellow('nothing to run') };
  const rows = results.map(({ lane, verdict, passed, failed, ms, reasons }) => [
    lane.name,
    paintedVerdict[verdict],
    String(passed),
    failed === 0 ? '0' : red(String(failed)),
    duration(ms),
    dim(`of ${budget(lane.budgetMs)}`),
    reasons.join('; '),
  ]);
  console.log(`\n${bold('Summary')}\n${table([['lane', '', 'passed', 'failed', 'time', '', ''].map(dim), ...rows], [2, 3, 4])}\n`);
}

async function main() {
  const { chosen, vitestArguments } = readArguments(process.argv.slice(2));
  const binaries = await provide(chosen);
  const results = [];
  for (const lane of chosen) {
    console.log(`\n${bold(`Lane ${lane.name}`)} ${dim(`(budget ${budget(lane.budgetMs)})`)}`);
    const nodePath = lane.node === undefined ? process.execPath : binaries.get(lane.node);
    const env = lane.nodeForTests === undefined ? {} : { [`TOOLQUAKE_NODE${lane.nodeForTests.major}`]: binaries.get(lane.nodeForTests) };
    const result =
      lane.kind === 'examples' ? await runExamples(lane, vitestArguments) : await runVitest(lane, nodePath, vitestArguments, env);
    results.push({ lane, ...result });
  }
  summarise(results);

  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const isBroken = results.some((result) => result.verdict === 'failed');
  if (passed + failed === 0) console.log(red('No test ran at all; that is a failure, not a pass.'));
  // Machines read this line: alone, plain, last.
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = isBroken || failed > 0 || passed === 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SetupFailure)) throw error;
  console.error(`\n${red(error.message)}\n${error.advice}`);
  process.exitCode = error.exitCode;
}
