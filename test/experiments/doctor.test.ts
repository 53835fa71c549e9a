/** `toolquake doctor` on the machine that the tests run on, whatever that can do. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Diagnosis, Finding } from '../../packages/toolquake/src/operations/doctor.js';
import { createDesk } from '../cli/harness.js';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'toolquake-doctor-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const doctor = (...argv: readonly string[]): ReturnType<ReturnType<typeof createDesk>['run']> =>
  createDesk().run(['doctor', ...argv], { TOOLQUAKE_STATE_DIR: state });
const named = (findings: readonly Finding[], name: string): Finding | undefined => findings.find((one) => one.name === name);

test('kills a run of its own and sees that its warden undid it, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await doctor('--json');
  const diagnosis = JSON.parse(stdout) as Diagnosis;
  expect(named(diagnosis.safety, 'Undo'), stderr).toMatchObject({ state: 'ok' });
  expect(diagnosis.isReady).toBe(true);
  expect(code).toBe(0);
  expect(existsSync(join(state, 'ledgers')) ? readdirSync(join(state, 'ledgers')) : []).toEqual([]);
});

test('has a line for every action, and says why for each that does not work here', async () => {
  const { stdout } = await doctor('--json');
  const { actions } = JSON.parse(stdout) as Diagnosis;
  const folder = new URL('../../packages/toolquake/src/actions/kinds', import.meta.url);
  const words = readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file) && file !== 'index.ts');
  expect(actions.map(({ name }) => `${name}.ts`).toSorted()).toEqual(words.toSorted());
  for (const { name, detail } of actions) expect(detail, name).not.toBe('');
  expect(named(actions, 'wait')).toMatchObject({ state: 'ok' });
});

test('says of a means what the actions that need it say', async () => {
  const { means, actions } = JSON.parse((await doctor('--json')).stdout) as Diagnosis;
  const isThere = (...names: readonly string[]): boolean => names.some((name) => named(means, name)?.state === 'ok');
  expect(named(actions, 'block-dependency')?.state).toBe(isThere('nftables', 'iptables') ? 'ok' : 'no');
  expect(named(actions, 'slow-dependency')?.state).toBe(isThere('netem', 'Redirect to a relay') ? 'ok' : 'no');
});

test('a command line of Docker whose daemon does not answer is none', async () => {
  const path = (daemon: string): string => {
    const folder = join(state, daemon.length.toString());
    mkdirSync(folder);
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${daemon}\n`, { mode: 0o755 });
    return `${folder}:${process.env['PATH'] ?? ''}`;
  };
  const means = async (daemon: string): Promise<readonly Finding[]> => {
    const { stdout } = await createDesk().run(['doctor', '--json'], { TOOLQUAKE_STATE_DIR: state, PATH: path(daemon) });
    return (JSON.parse(stdout) as Diagnosis).means;
  };
  expect(named(await means('echo no daemon runs >&2; exit 1'), 'Docker')).toMatchObject({
    state: 'no',
    detail: expect.stringContaining('no daemon runs') as string,
  });
  expect(named(await means('echo 29.0.1'), 'Docker')).toMatchObject({ state: 'ok', detail: expect.stringContaining('29.0.1') as string });
});

test('shows tables whose columns stand below each other', async () => {
  const { stdout } = await doctor();
  expect(stdout).toMatch(/^Safety\n {2}Node +ok +\d+\.\d+\.\d+ on /);
  const columns = stdout.split('\n').flatMap((line) => /^( {2}\S.*? {2,})(?:ok|no|depends) /.exec(line)?.[1]?.length ?? []);
  expect(new Set(columns).size).toBe(1);
});

test('exits 3 and says what to do while this host is halted', async () => {
  writeFileSync(join(state, 'halt.json'), JSON.stringify({ why: 'an incident', at: '2026-11-18T10:00:00Z' }));
  const { code, stdout } = await doctor();
  expect(code).toBe(3);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'since 2026-11-18T10:00:00Z: an incident. A person lets experiments run again with "toolquake resume".',
  );
});

test('exits 3 over what an earlier run left behind', async () => {
  mkdirSync(join(state, 'ledgers'), { mode: 0o700 });
  writeFileSync(join(state, 'ledgers', 'lost.json'), JSON.stringify({ run: 'lost', ledger: '/nowhere/ledger.jsonl' }));
  const { code, stdout } = await doctor();
  expect(code).toBe(3);
  expect(stdout).toContain('lost: its ledger /nowhere/ledger.jsonl is missing');
});

test('exits 3 where it cannot write its state', async () => {
  rmSync(state, { recursive: true });
  writeFileSync(state, 'a file');
  const { code, stdout } = await doctor();
  expect(code).toBe(3);
  expect(stdout).toContain('State folder');
});
