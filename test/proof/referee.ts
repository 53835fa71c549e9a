/** The official conformance suite as a referee: runs it, and reads its verdicts scenario by scenario. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const suite = join(fileURLToPath(new URL('../servers/conformance', import.meta.url)), 'node_modules/.bin/conformance');

/** Scenario to its checks as `id=STATUS`. */
export type Verdicts = ReadonlyMap<string, readonly string[]>;

/** Node 22, which the suite needs. The lane provides it; without it there is no proof, so this is no reason to skip. */
export function node22(): string {
  const path = process.env['TOOLQUAKE_NODE22'];
  if (path === undefined || !existsSync(path) || !existsSync(suite))
    throw new Error('The conformance suite or Node 22 is missing. Run "npm test -- --lane proof", or set TOOLQUAKE_NODE22 to a Node 22.');
  return path;
}

/** `server-` is put before a server's scenario, and a time behind every one. */
const scenarioOf = (folder: string): string => folder.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '');

function read(folder: string): Verdicts {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('checks.json'));
  const verdicts = files.map((file) => {
    const checks = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { id: string; status: string }[];
    return [scenarioOf(relative('.', dirname(file))), checks.map(({ id, status }) => `${id}=${status}`)] as const;
  });
  return new Map(verdicts.sort(([a], [b]) => a.localeCompare(b)));
}

/** Runs the suite to its end. What it thinks of the whole (its exit code) is not asked: verdicts are compared. */
export async function judge(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Verdicts> {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-referee-'));
  try {
    const output = await new Promise<string>((resolve) => {
      const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
      execFile(node22(), [suite, ...args, '-o', folder], options, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    const verdicts = read(folder);
    if (verdicts.size === 0) throw new Error(`The suite judged nothing (${args.join(' ')}):\n${output.slice(-2000)}`);
    return verdicts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is not the same, one line for each check of each scenario: `-` only expected, `+` only found. */
export function differences(expected: Verdicts, found: Verdicts): string[] {
  const scenarios = [...new Set([...expected.keys(), ...found.keys()])];
  return scenarios.flatMap((scenario) => {
    const before = expected.get(scenario) ?? ['(not run)'];
    const after = found.get(scenario) ?? ['(not run)'];
    if (before.join() === after.join()) return [];
    const lost = without(before, after).map((check) => `${scenario}: - ${check}`);
    const won = without(after, before).map((check) => `${scenario}: + ${check}`);
    return lost.length + won.length > 0 ? [...lost, ...won] : [`${scenario}: other order: ${before.join()} / ${after.join()}`];
  });
}

/** The entries of a list that another does not have, counting repetitions. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const rest = [...other];
  return list.filter((entry) => {
    const at = rest.indexOf(entry);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}

/** How many scenarios and checks there are, and which scenarios have a failure. */
export function tally(verdicts: Verdicts): { scenarios: number; passed: number; failed: number; other: number; failing: string[] } {
  const statuses = [...verdicts.values()].flat().map((check) => check.slice(check.lastIndexOf('=') + 1));
  const passed = statuses.filter((status) => status === 'SUCCESS').length;
  const failed = statuses.filter((status) => status === 'FAILURE').length;
  const failing = [...verdicts].filter(([, checks]) => checks.some((check) => check.endsWith('=FAILURE'))).map(([scenario]) => scenario);
  return { scenarios: verdicts.size, passed, failed, other: statuses.length - passed - failed, failing };
}
