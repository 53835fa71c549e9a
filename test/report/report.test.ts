/** `toolquake report` as people run it: what it prints, what it writes, how it ends. */
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDesk } from '../cli/harness.js';
import { comparisonJournal, hostileJournal, hysteresisJournal, journalText, liveJournal } from './sample-journals.js';

const START = '{"v":1,"kind":"start","atMs":0,"transport":"stdio","seed":7,"rules":[{"id":"slow","fault":"latency"}]}\n';
const CALL =
  '{"kind":"call","atMs":5,"session":"s","exchange":1,"method":"tools/call","tool":"t","outcome":"ok","latencyMs":3,"faults":["slow"]}\n';
const END = '{"kind":"end","atMs":9,"fired":{"slow":1},"calls":1}\n';
const GOOD = START + CALL + END;

test('tells what was run, what broke and what contained it', async () => {
  const desk = createDesk({ 'run.jsonl': journalText(comparisonJournal({ seeds: 4 })) });
  const run = await desk.run(['report', 'run.jsonl']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('what was run        96 runs on the simulator, 4 seeds from 1 to 4');
  expect(run.stdout).toMatch(/what broke +5\d % of tasks failed at errorRate 0.05, fanout 16 \("without", on paper 56 %\)/);
  expect(run.stdout).toMatch(/what contained it   "with retry budget and breaker" leaves [\d.]+ % there/);
  expect(run.stdout).toContain('Retry storm came about in 32 runs');
});

test('a rule that never fired is exit 4, told on stderr and in every format; one that is switched off is not', async () => {
  const desk = createDesk({ 'run.jsonl': journalText(liveJournal({ calls: 300 })) });
  const run = await desk.run(['report', 'run.jsonl', '--html', 'page.html']);
  expect(run.code).toBe(4);
  expect(run.stderr).toBe('"never-matched" never fired: what never happened was not tested, so this is no pass.\n');
  expect(run.stdout).toContain('never fired         never-matched');
  expect(readFileSync(join(desk.folder, 'page.html'), 'utf8')).toContain('<strong>Never fired:</strong> <code>never-matched</code>');
  for (const [format, words] of [
    ['json', '"neverFired": [\n    "never-matched"\n  ]'],
    ['markdown', '> **Never fired:** <code>never-matched</code>'],
    ['junit', '<failure message="Rule never-matched (hang) never fired'],
  ] as const) {
    const rendered = await desk.run(['report', 'run.jsonl', '--format', format]);
    expect(rendered.code).toBe(4);
    expect(rendered.stdout).toContain(words);
  }
});

test('a guarded run injected nothing, so nothing was tested', async () => {
  const desk = createDesk({
    'run.jsonl': START.replace('"seed":7', '"seed":7,"guarded":"NODE_ENV is production"') + END.replace('"slow":1', '"slow":0'),
  });
  const run = await desk.run(['report', 'run.jsonl']);
  expect(run.code).toBe(4);
  expect(run.stdout).toContain('guarded             NODE_ENV is production: nothing was injected.');
});

test('what a proxy cannot know is n/a, and null in JSON', async () => {
  const desk = createDesk({ 'run.jsonl': GOOD });
  const table = (await desk.run(['report', 'run.jsonl'])).stdout;
  for (const measure of ['SCR', 'TCAF', 'RA', 'RA faulted', 'RA upstream', 'MTTD', 'MTTR', 'LOOP', 'wasted calls'])
    expect(table).toMatch(new RegExp(`^ +${measure}  .* n/a$`, 'm'));
  const { stdout } = await desk.run(['report', 'run.jsonl', '--json']);
  const report = JSON.parse(stdout) as { version: number; calls: { tasks: unknown; measures: Record<string, unknown> } };
  expect(report).toMatchObject({ version: 1, calls: { calls: 1, tasks: null, measures: { blastRadius: null, tcaf: null, eta: 1 } } });
});

test('several journals are read as one, and --out takes the result', async () => {
  const desk = createDesk({ 'a.jsonl': GOOD, 'b.jsonl': GOOD });
  const run = await desk.run(['report', 'a.jsonl', 'b.jsonl', '--json', '--out', 'both.json']);
  expect(run).toMatchObject({ code: 0, stdout: '' });
  expect(JSON.parse(readFileSync(join(desk.folder, 'both.json'), 'utf8'))).toMatchObject({ runs: { count: 2 }, calls: { calls: 2 } });
});

test('colours are for terminals: none in a pipe, none with NO_COLOR', async () => {
  const desk = createDesk({ 'run.jsonl': GOOD });
  const escape = '\u001b[';
  expect((await desk.run(['report', 'run.jsonl'])).stdout).not.toContain(escape);
  expect((await desk.run(['report', 'run.jsonl'], { FORCE_COLOR: '1' })).stdout).toContain(escape);
  expect((await desk.run(['report', 'run.jsonl'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain(escape);
  expect((await desk.run(['report', 'run.jsonl', '--out', 'run.txt'], { FORCE_COLOR: '1' })).code).toBe(0);
  expect(readFileSync(join(desk.folder, 'run.txt'), 'utf8')).not.toContain(escape);
});

test('a journal cannot move the cursor of a terminal', async () => {
  const desk = createDesk({ 'run.jsonl': journalText(hostileJournal('\u001b[2J\u001b]0;owned\u0007\u202e|name')) });
  const { stdout } = await desk.run(['report', 'run.jsonl']);
  // eslint-disable-next-line no-control-regex -- control characters are what this looks for
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

describe('damaged journals', () => {
  test('a torn last line is forgiven, and a torn line before the next run', async () => {
    const desk = createDesk({ 'run.jsonl': `${START}${CALL}{"kind":"ca\n${GOOD}${START}${CALL}{"kind":"call","atM` });
    const run = await desk.run(['report', 'run.jsonl', '--json']);
    expect(JSON.parse(run.stdout)).toMatchObject({
      torn: 2,
      skipped: { count: 0 },
      runs: { count: 3, unfinished: 2 },
      calls: { calls: 3 },
    });
  });

  test('a bad line elsewhere is left out, counted and told with its place', async () => {
    const desk = createDesk({ 'run.jsonl': `${START}oops\n${CALL}{"kind":"call","atMs":1}\n[]\n${END}{"kind":"later"}\n` });
    const run = await desk.run(['report', 'run.jsonl']);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('run.jsonl:2 was left out: it is not JSON.');
    expect(run.stdout).toContain('run.jsonl:4 was left out: a "call" entry needs "session".');
    expect(run.stdout).toContain('run.jsonl:5 was left out: it is not a JSON object.');
  });

  test.each<[what: string, text: string, stderr: string]>([
    ['an empty file', '', 'run.jsonl is no journal that can be reported: there is nothing in it.'],
    ['prose', 'Dear journal,\n', 'run.jsonl:1 is no journal that can be reported: it is not JSON.'],
    ['a plan', '{"version":1,"rules":[]}\n', 'run.jsonl:1 is no journal that can be reported: it has no "kind".'],
    [
      'another version',
      START.replace('"v":1', '"v":2'),
      'run.jsonl:1 is no journal that can be reported: it is a journal of version 2, not 1.',
    ],
    ['a journal without its start', CALL + END, 'run.jsonl:1 is no journal that can be reported: it comes before the start of any run.'],
    ['bytes', '\u0000\u0001\ufffd'.repeat(99), 'run.jsonl:1 is no journal that can be reported: it is not JSON.'],
  ])('%s is refused with exit 2, and nothing is written', async (_, text, stderr) => {
    const desk = createDesk({ 'run.jsonl': text });
    const run = await desk.run(['report', 'run.jsonl', '--html', 'page.html', '--out', 'out.txt']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(`error ${stderr}\nA journal begins with a "start" entry`);
    expect(desk.files()).toEqual(['run.jsonl']);
  });
});

test.each<[argv: readonly string[], code: number, stderr: string]>([
  [['report'], 2, "Missing required argument 'FILE'."],
  [['report', 'none.jsonl'], 2, 'none.jsonl does not exist.'],
  [['report', 'folder'], 2, 'There is no journal in folder.'],
  [
    ['report', 'run.jsonl', '--format', 'jnuit'],
    2,
    '--format must be console or json or markdown or junit, not "jnuit".\nDid you mean "json"?',
  ],
  [['report', 'run.jsonl', '--out', './run.jsonl'], 2, './run.jsonl is named twice'],
  [['report', 'run.jsonl', '--html', 'x', '--out', 'x'], 2, 'x is named twice'],
  [['report', 'run.jsonl', '--html', 'folder'], 3, 'The result cannot be written to folder: it is a folder.'],
  [['report', 'run.jsonl', '--html', 'page.html', '--out', 'missing/out.txt'], 3, 'The result cannot be written to missing/out.txt'],
])('%j ends with exit %i, and nothing is written', async (argv, code, stderr) => {
  const desk = createDesk({ 'run.jsonl': GOOD });
  mkdirSync(join(desk.folder, 'folder'));
  const run = await desk.run(argv);
  expect(run).toMatchObject({ code, stdout: '' });
  expect(run.stderr).toContain(stderr);
  expect(desk.files()).toEqual(['folder', 'run.jsonl']);
});

test('reads what "toolquake simulate --journal" writes', async () => {
  const desk = createDesk();
  expect((await desk.run(['simulate', '--tasks', '50', '--journal', 'run.jsonl'])).code).toBe(0);
  const run = await desk.run(['report', 'run.jsonl']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('2 runs on the simulator, seed 42');
});

test('hysteresis: which system recovers late', async () => {
  const desk = createDesk({ 'run.jsonl': journalText(hysteresisJournal({ seeds: 5 })) });
  const { stdout } = await desk.run(['report', 'run.jsonl']);
  expect(stdout).toContain('what broke          "without" fails from tasks per second 8 on and has recovered at 2 on the way back.');
  expect(stdout).toContain('what contained it   "with retry budget" fails from');
});

test('a million lines fit into little memory', async () => {
  const desk = createDesk();
  const file = createWriteStream(join(desk.folder, 'big.jsonl'));
  const body = journalText(liveJournal({ calls: 4000 }));
  const lines = body.split('\n').length - 1;
  const copies = Math.ceil(1_000_000 / lines);
  for (let copy = 0; copy < copies; copy++) if (!file.write(body)) await once(file, 'drain');
  file.end();
  await once(file, 'close');
  const run = await desk.run(['report', 'big.jsonl', '--json'], { NODE_OPTIONS: '--max-old-space-size=160' });
  expect(run.code).toBe(4);
  const report = JSON.parse(run.stdout) as { entries: number; runs: { count: number } };
  expect(report.entries).toBeGreaterThanOrEqual(1_000_000);
  expect(report.runs.count).toBe(copies);
});
