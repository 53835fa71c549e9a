/** `toolquake bench` against real servers over stdio and HTTP. Their delays dominate whatever the machine adds. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { binPath, createDesk, type Run } from '../cli/harness.js';

const server = path.resolve(import.meta.dirname, '../servers/slow.mjs');
const slow = (...options: readonly string[]): string[] => [process.execPath, server, ...options];
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill();
});

async function overHttp(...options: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [server, '--http', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return url;
}

type Row = { readonly verdict: string; readonly why: string; readonly ratio: number | null; readonly calls: number };
const rowOf = ({ stdout }: Run): Row => (JSON.parse(stdout) as { tools: readonly Row[] }).tools[0]!;
const compare = (desk: ReturnType<typeof createDesk>, ...words: readonly string[]): Promise<Run> =>
  desk.run(['bench', 'compare', '--json', '--call', 'work', ...words], { CI: '' });

describe('two servers side by side', () => {
  test('one that takes half as long again is caught', async () => {
    const run = await compare(createDesk(), '--', ...slow('--delay', '40'), '--', ...slow('--delay', '60'));
    expect(rowOf(run)).toMatchObject({ verdict: 'slower', calls: 250 });
    expect(run.code).toBe(1);
  });

  test('a server against itself passes, and every call is among the samples', async () => {
    const desk = createDesk();
    const run = await compare(desk, '--samples', 'raw.jsonl', '--', ...slow('--delay', '40'), '--', ...slow('--delay', '40'));
    expect(rowOf(run).verdict).toBe('passed');
    expect(run.code).toBe(0);
    const lines = readFileSync(path.join(desk.folder, 'raw.jsonl'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(2 + 2 * rowOf(run).calls);
    expect(lines.at(-1)).toContain('"kind":"end"');
  });

  test('servers too noisy to tell are inconclusive, which is no pass', async () => {
    const noisy = slow('--delay', '0.5', '--noise', '400');
    const run = await compare(createDesk(), '--', ...noisy, '--', ...noisy);
    expect(rowOf(run).why).toContain('too noisy to tell');
    expect(run.code).toBe(5);
  });

  test('calls that fail are no latency: over HTTP, the candidate fails the gate and a broken baseline is no verdict', async () => {
    const [whole, broken] = [await overHttp('--delay', '1'), await overHttp('--delay', '1', '--break', '30')];
    const candidate = await compare(createDesk(), whole, broken);
    expect(rowOf(candidate)).toMatchObject({ verdict: 'aborted' });
    expect(rowOf(candidate).why).toContain(
      'a call to the candidate failed, and how fast a failure comes is no latency: the tool said: out of cheese',
    );
    expect(candidate.code).toBe(1);
    expect((await compare(createDesk(), broken, whole)).code).toBe(5);
  });

  test('Ctrl-C ends the servers, keeps what was measured, and exits with 130', async () => {
    const desk = createDesk({ pids: '' });
    const pids = path.join(desk.folder, 'pids');
    const samples = path.join(desk.folder, 'raw.jsonl');
    const command = slow('--delay', '5', '--pids', pids);
    const child = spawn(
      process.execPath,
      [binPath, 'bench', 'compare', '--call', 'work', '--pace', '50', '--samples', samples, '--', ...command, '--', ...command],
      {
        stdio: 'ignore',
      },
    );
    const ended = once(child, 'exit');
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!existsSync(samples) || !readFileSync(samples, 'utf8').includes('"kind":"sample"')) return;
        watcher.close();
        resolve();
      };
      const watcher = watch(desk.folder, look);
      look();
    });
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(readFileSync(samples, 'utf8')).not.toContain('"kind":"end"');
    for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });
});

describe('a target and captured samples', () => {
  const capture = (desk: ReturnType<typeof createDesk>, ...words: readonly string[]): Promise<Run> =>
    desk.run([
      'bench',
      'capture',
      '--call',
      'work',
      '--iterations',
      '20',
      '--pace',
      '0',
      '--warm-up',
      '2',
      '--out',
      'base.jsonl',
      ...words,
    ]);
  const quick = ['base.jsonl', '--iterations', '20', '--pace', '0', '--warm-up', '2'];

  test('the ratio gate knows the same server and one several times slower, and says what it cannot know', async () => {
    const desk = createDesk();
    const captured = await capture(desk, await overHttp('--delay', '100'));
    expect(captured.stderr).toContain('Samples: base.jsonl');
    expect(captured.code).toBe(0);
    // Killed while it wrote one more run.
    appendFileSync(path.join(desk.folder, 'base.jsonl'), '{"v":1,"kind":"sta');
    const same = await desk.run(['bench', 'compare', ...quick, await overHttp('--delay', '100')]);
    expect(same.stdout).toContain('no slowdown (ratio gate, 20 calls per side');
    expect(same.stdout).toContain('Note: baseline and candidate were measured at different times');
    expect(same.code).toBe(0);
    const slower = await desk.run(['bench', 'compare', ...quick, '--format', 'junit', '--', ...slow('--delay', '500')]);
    expect(slower.stdout).toContain('<failure message="slower: P95 is ');
    expect(slower.code).toBe(1);
  });

  test('the history gate wants eight runs, then knows the same server from one several times slower', async () => {
    const desk = createDesk();
    const url = await overHttp('--delay', '60');
    await capture(desk, url);
    const few = await compare(desk, ...quick, '--gate', 'history', url);
    expect(rowOf(few).why).toContain('the history has 1 runs, and 8 are needed');
    expect(few.code).toBe(5);
    for (let run = 2; run <= 8; run++) await capture(desk, url);
    expect((await compare(desk, ...quick, '--gate', 'history', url)).code).toBe(0);
    expect((await compare(desk, ...quick, '--gate', 'history', await overHttp('--delay', '240'))).code).toBe(1);
  });

  test('a calibrated run measures the machine too', async () => {
    const desk = createDesk();
    await capture(desk, '--calibrate', '--change-point', 'new database', '--', ...slow('--delay', '1'));
    const text = readFileSync(path.join(desk.folder, 'base.jsonl'), 'utf8');
    expect(text).toContain('"changePoint":"new database"');
    expect(text.match(/"side":"calibration"/g)).toHaveLength(100);
  });
});

describe('bad input starts nothing', () => {
  test.each([
    [['bench', 'compare', '--call', 'work'], 'A comparison needs a baseline and a candidate, and here are 0 of the two.'],
    [['bench', 'compare', 'http://127.0.0.1:9/', 'http://127.0.0.1:9/'], 'There is nothing to call'],
    [
      ['bench', 'compare', 'a.jsonl', 'http://127.0.0.1:9/', '--call', 'work', '--gate', 'paired'],
      'The paired gate measures both sides in turns',
    ],
    [['bench', 'compare', 'missing.jsonl', 'http://127.0.0.1:9/', '--call', 'work'], 'missing.jsonl does not exist.'],
    [
      ['bench', 'compare', 'http://127.0.0.1:9/', 'http://127.0.0.1:9/', '--call', 'work', '--gate', 'history'],
      'The history gate compares with captured runs',
    ],
    [
      ['bench', 'compare', 'http://127.0.0.1:9/', 'http://127.0.0.1:9/', '--call', 'work', '--max-ratio', '2'],
      '--max-ratio has no meaning for the paired gate.',
    ],
    [['bench', 'compare', '--call', 'work', '--', 'a', '--', 'b', '--', 'c'], 'It is not clear where the first command ends'],
    [
      ['bench', 'capture', 'http://127.0.0.1:9/', '--out', 'x.jsonl', '--call', 'work {'],
      '--call must be the name of a tool and a JSON object',
    ],
  ])('%j', async (argv, message) => {
    const desk = createDesk();
    const { code, stderr } = await desk.run(argv);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(desk.files()).toEqual([]);
  });

  test('a server that is not there is the environment, not a verdict', async () => {
    const { code, stderr } = await createDesk().run(['bench', 'compare', 'http://127.0.0.1:9/', 'http://127.0.0.1:9/', '--call', 'work']);
    expect(stderr).toContain('cannot be measured: connection_refused');
    expect(code).toBe(3);
  });
});
