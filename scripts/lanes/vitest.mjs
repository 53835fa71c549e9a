// One lane of vitest: its own process (so that a budget can end it), its own Node, counted from vitest's JSON report.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../child.mjs';
import { root, tool } from '../folders.mjs';
import { budget } from '../terminal.mjs';
import { testFiles } from './lanes.mjs';

const reports = join(root, '.cache/test-reports');

/** Why a lane that vitest calls green is still not: an empty or half-empty run proves nothing. */
function shortcomings({ report, code, isOverBudget, lane, isFiltered }) {
  const reasons = [];
  if (isOverBudget) reasons.push(`killed: over its budget of ${budget(lane.budgetMs)}`);
  else if (report === undefined) reasons.push(`vitest left no report (exit code ${code})`);
  if (report === undefined) return reasons;
  const executed = report.numPassedTests + report.numFailedTests;
  const skipped = report.numTotalTests - executed;
  const brokenFiles = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  if (brokenFiles > 0) reasons.push(`${brokenFiles} test file(s) did not load`);
  if (executed === 0 && !isFiltered) reasons.push('no test was executed');
  // With a name filter vitest counts the tests it left out as skipped; without one, a skip hides a missing prerequisite.
  if (skipped > 0 && !isFiltered) reasons.push(`${skipped} test(s) skipped: repair or remove them`);
  if (code !== 0 && reasons.length === 0 && report.numFailedTests === 0) reasons.push(`vitest ended with exit code ${code}`);
  return reasons;
}

/** Runs the lane to its end or to the end of its budget; `env` is what its tests are told besides. */
export async function runVitest(lane, nodePath, vitestArguments, env = {}) {
  if (testFiles(lane.project).length === 0) {
    return { verdict: 'nothing to run', passed: 0, failed: 0, ms: 0, reasons: ['no test files yet'] };
  }
  mkdirSync(reports, { recursive: true });
  const reportFile = join(reports, `${lane.name}.json`);
  rmSync(reportFile, { force: true });
  const isFiltered = vitestArguments.length > 0;
  const { code, ms, isOverBudget } = await run(
    [
      nodePath,
      tool('vitest/vitest.mjs'),
      'run',
      `--project=${lane.project}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportFile}`,
      // A filter meant for one lane finds nothing in the others; test.mjs still fails when no lane found anything.
      ...(isFiltered ? ['--passWithNoTests', ...vitestArguments] : []),
    ],
    { cwd: root, budgetMs: lane.budgetMs, show: true, env },
  );
  const report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : undefined;
  const reasons = shortcomings({ report, code, isOverBudget, lane, isFiltered });
  const passed = report?.numPassedTests ?? 0;
  // A lane that broke without a failing test still counts as one failure, so the closing line cannot read as green.
  const failed = Math.max(report?.numFailedTests ?? 0, reasons.length > 0 || code !== 0 ? 1 : 0);
  const verdict = failed > 0 ? 'failed' : passed === 0 ? 'nothing to run' : 'passed';
  return { verdict, passed, failed, ms, reasons: verdict === 'nothing to run' ? ['no match'] : reasons };
}
