/** `toolquake task`: one agent over several servers is one task, by real processes. */
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createDesk, type Desk } from '../cli/harness.js';
import { proxyCommand, serverCommand } from '../stdio/harness.js';

const AGENT = fileURLToPath(new URL('agents/two-servers.mjs', import.meta.url));

const PLAN = `
seed: 1
rules:
  - id: once
    fault: error-response
    when: { tool: refund }
    at: { nth: [1] }
`;

type Report = {
  readonly neverFired: readonly string[];
  readonly torn: number;
  readonly tasks: {
    readonly count: number;
    readonly unassigned: number;
    readonly methods: readonly object[];
    readonly overall: { readonly measures: Readonly<Record<string, number | null>>; readonly timeToRecover: object };
    readonly list: readonly { readonly name: string; readonly [key: string]: unknown }[];
  };
};

const agent = (end: string, options: readonly string[] = []): string[] => [
  process.execPath,
  AGENT,
  JSON.stringify(proxyCommand(serverCommand('bank'), '--plan', 'plan.yaml', '--target', 'bank', ...options)),
  JSON.stringify(proxyCommand(serverCommand('bank'), '--target', 'shop', ...options)),
  end,
];

async function reportOf(desk: Desk, ...paths: string[]): Promise<Report> {
  const { stdout, stderr } = await desk.run(['report', ...paths, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Report;
}

describe('an agent with two servers', () => {
  test('is one task, with its retry, its recovery and its exit code', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    const run = await desk.run(['task', '--run-dir', 'run', '--name', 'checkout', '--', ...agent('0')]);
    expect(run).toMatchObject({ code: 0, stdout: 'the answer\n' });
    expect(run.stderr).toContain('task checkout: exit 0');
    expect(run.stderr).toContain('calls       5 to bank, shop: 1 failed, 1 met a fault');
    const files = readdirSync(join(desk.folder, 'run')).map((name) => name.split('-')[0] ?? '');
    expect(files.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(['.operation', 'bank', 'shop', 'task']);

    const { tasks } = await reportOf(desk, 'run');
    expect(tasks).toMatchObject({ count: 1, unassigned: 0, methods: [{ method: 'process', confidence: 'high', tasks: 1 }] });
    expect(tasks.overall.measures).toMatchObject({
      availability: 0.8,
      tcaf: 4,
      tcafWire: 5,
      retryAmplification: 1.25,
      retryAmplificationFaulted: 2,
      retryAmplificationUpstream: 1,
      blastRadius: 0,
      scr: null,
    });
    expect(tasks.overall.timeToRecover).toMatchObject({ seen: 1, of: 1 });
    expect(tasks.list[0]).toMatchObject({
      name: 'checkout',
      labels: ['bank', 'shop'],
      unrecovered: 0,
      exit: { exitCode: 0, signal: null },
    });
  });

  test('is one task also where clients hand on no variables and the folder is an argument', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    const folder = join(desk.folder, 'run');
    const variables = ['env', '-u', 'TOOLQUAKE_RUN_DIR', '-u', 'TOOLQUAKE_TASK'];
    const run = await desk.run(['task', '--run-dir', folder, '--name', 'a', '--', ...variables, ...agent('0', ['--run-dir', folder])]);
    expect(run.code).toBe(0);
    const { tasks } = await reportOf(desk, folder);
    expect(tasks).toMatchObject({ count: 1, methods: [{ method: 'process', confidence: 'medium', tasks: 1 }] });
    expect(tasks.overall.measures).toMatchObject({ tcaf: 4, blastRadius: 0 });
  });

  test('that fails is a failed task, and keeps its exit code; what it was called with is not written', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    const run = await desk.run(['task', '--run-dir', 'run', '--json', '--', ...agent('7')]);
    expect(run.code).toBe(7);
    expect(JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ kind: 'task', calls: 5, operations: 4, exitCode: 7 });
    expect((await reportOf(desk, 'run')).tasks.overall.measures).toMatchObject({ blastRadius: 1 });
    const [own] = readdirSync(join(desk.folder, 'run')).filter((name) => name.startsWith('task-'));
    expect(readFileSync(join(desk.folder, 'run', own!), 'utf8')).not.toContain('two-servers');
  });

  test('that is killed, and journals that were torn, are still reported', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    const run = await desk.run(['task', '--run-dir', 'run', '--', ...agent('kill')]);
    expect(run.signal).toBe('SIGKILL');
    const folder = join(desk.folder, 'run');
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.jsonl'))) appendFileSync(join(folder, name), '{"kind":"ca');
    writeFileSync(join(folder, 'torn-1.jsonl'), '{"v":1,"kind":"sta');
    writeFileSync(join(folder, 'empty-1.jsonl'), '');
    const { tasks, torn } = await reportOf(desk, 'run');
    expect(torn).toBe(5);
    expect(tasks).toMatchObject({ count: 1, overall: { measures: { tcaf: 4, blastRadius: 1 } } });
    expect(tasks.list[0]).toMatchObject({ exit: { exitCode: null, signal: 'SIGKILL' } });
  });

  test('whose wrapper left no end is told apart all the same, and nobody claims how it ended', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    await desk.run(['task', '--run-dir', 'run', '--name', 'a', '--', ...agent('0')]);
    const folder = join(desk.folder, 'run');
    for (const name of readdirSync(folder).filter((one) => one.startsWith('task-'))) rmSync(join(folder, name));
    const { tasks } = await reportOf(desk, 'run');
    expect(tasks).toMatchObject({ count: 1, list: [{ name: 'a', exit: null }], overall: { measures: { tcaf: 4 } } });
  });
});

/** The operations in the journals of a run directory, by server. */
function operationsIn(folder: string): Readonly<Record<string, readonly string[]>> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && !name.startsWith('task-'));
  return Object.fromEntries(
    files.map((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n');
      const entries = lines.map((line) => JSON.parse(line) as { readonly operation?: string });
      return [name.split('-')[0]!, entries.flatMap(({ operation }) => operation ?? [])];
    }),
  );
}

describe('operations in a journal', () => {
  test('agree between proxies of one run directory, and with no other run', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    for (const run of ['monday', 'tuesday']) await desk.run(['task', '--run-dir', run, '--', ...agent('0')]);
    const [monday, tuesday] = ['monday', 'tuesday'].map((run) => operationsIn(join(desk.folder, run)));
    const [echo, refund, again] = monday!['bank']!;
    // The first call of both servers asks for the same; the refund was tried again.
    expect(monday).toEqual({ bank: [echo, refund, refund], shop: [echo, expect.stringMatching(/^[0-9a-f]{16}$/)] });
    expect(again).toBe(refund);
    const all = Object.values(tuesday!).flat();
    expect(all).toHaveLength(5);
    expect(Object.values(monday!).flat()).not.toEqual(expect.arrayContaining([all[0]]));
    const key = readFileSync(join(desk.folder, 'monday', '.operation-key'), 'utf8');
    for (const name of readdirSync(join(desk.folder, 'monday')).filter((one) => one.endsWith('.jsonl')))
      expect(readFileSync(join(desk.folder, 'monday', name), 'utf8')).not.toContain(key);
  });

  test('leave no key behind in a folder that the task made for itself', async () => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    const { stderr } = await desk.run(['task', '--json', '--', ...agent('0')]);
    const { runDirectory, operations } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as {
      runDirectory: string;
      operations: number;
    };
    expect(operations).toBe(4);
    expect(readdirSync(runDirectory).filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
    rmSync(runDirectory, { recursive: true });
  });
});

describe('bad input', () => {
  test('a command that does not exist leaves nothing behind', async () => {
    const desk = createDesk();
    const run = await desk.run(['task', '--run-dir', 'run', '--', 'no-such-command-here']);
    expect(run.code).toBe(3);
    expect(readdirSync(join(desk.folder, 'run'))).toEqual([]);
  });

  test('no command, two journals for one run, and a folder without journals are refused', async () => {
    const desk = createDesk();
    expect((await desk.run(['task'])).code).toBe(2);
    const both = await desk.run(proxyCommand(['true'], '--journal', 'a.jsonl', '--run-dir', 'run').slice(2));
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('a run has one journal') as string });
    expect(await desk.run(['report', '.'])).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no journal') as string });
    expect(desk.files()).toEqual([]);
  });
});

describe('what a plan expects of measures', () => {
  const plan = (bounds: string): string => `${PLAN}expect:\n  measures: ${bounds}\n`;

  test.each([
    ['{ tcaf: { max: 4 }, blastRadius: { max: 0 } }', 0, ''],
    ['{ availability: { min: 0.9 } }', 1, 'availability is 0.8, expected at least 0.9'],
    ['{ scr: { min: 0.5 } }', 1, 'scr is n/a'],
  ])('%s exits with %i', async (bounds, code, said) => {
    const desk = createDesk({ 'plan.yaml': plan(bounds) });
    await desk.run(['task', '--run-dir', 'run', '--', ...agent('0')]);
    for (const format of ['console', 'json', 'markdown', 'junit']) {
      const report = await desk.run(['report', 'run', '--format', format]);
      expect(report).toMatchObject({ code, stderr: expect.stringContaining(said) as string });
    }
  });

  test('that nothing was tested weighs more than a broken bound', async () => {
    const never = PLAN.replace('nth: [1]', 'nth: [100]');
    const desk = createDesk({ 'plan.yaml': `${never}expect:\n  measures: { availability: { max: 0.9 } }\n` });
    await desk.run(['task', '--run-dir', 'run', '--', ...agent('0')]);
    const report = await desk.run(['report', 'run']);
    expect(report.code).toBe(4);
    expect(report.stderr).toContain('availability is 1, expected at most 0.9');
    expect(report.stderr).toContain('"once" never fired');
  });
});
