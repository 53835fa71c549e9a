// Runs weather.test.mjs as a user would: under Vitest, and under node:test with one import changed; then with a tool that
// does not exist, which must fail and say why. Run: node examples/paste-a-test/main.mjs
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const run = (...argv) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: path('.'),
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, output: `${stdout}${stderr}` };
};

// Without the configuration of this repository, which knows nothing of examples.
const vitest = await startVitest('test', [], { root: path('.'), config: false, watch: false });
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
await vitest.close();
assert.deepEqual(
  tests.map((test) => test.result().state),
  ['passed', 'passed', 'passed'],
);
console.log('under Vitest: 3 tests passed');

const text = readFileSync(path('weather.test.mjs'), 'utf8').replace("from 'vitest'", "from 'node:test'");
const copy = path('weather.node-test.mjs');
try {
  writeFileSync(copy, text);
  const nodeTest = run('--test', copy);
  assert.equal(nodeTest.status, 0, nodeTest.output);
  console.log('under node:test: the same file passed');

  writeFileSync(copy, text.replaceAll("when: { tool: 'forecast' }", "when: { tool: 'forecats' }"));
  const typo = run('--test', copy);
  assert.equal(typo.status, 1);
  const why = /no call matched when\.tool .*/.exec(typo.output)?.[0] ?? typo.output;
  assert.match(why, /did you mean "forecast"\?/);
  console.log(`with a typo in the plan it fails: ${why}`);
} finally {
  rmSync(copy, { force: true });
}
