/** `toolquake golden record`, `verify` and `update`: what they print, write and return. */
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ToolquakeError } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { fixturesText, withFixtures } from '../config/fixture-text.js';
import { isSeedFile } from '../config/import-seed-fixtures.js';
import { readFixtures } from '../config/load-fixtures.js';
import { readPlanFile } from '../config/plan-file.js';
import { parseText } from '../config/plan-text.js';
import type { Canary } from '../core/expectation.js';
import { renderVerify, renderVerifyJunit, type GoldenPaint } from '../gates/golden/render-verify.js';
import { recordFixtures } from '../operations/golden-record.js';
import { updateFixtures, type FixtureChange } from '../operations/golden-update.js';
import { chosen, verifyFixtures } from '../operations/golden-verify.js';
import { parseCalls } from '../operations/parse-calls.js';
import type { ProbeWorld } from '../targets/probe-target.js';
import { openResult } from '../operations/result-file.js';
import { EXIT, numberOf, textOf, wordOf, type CommandArguments, type CommandIo } from './command.js';
import { targetOf } from './targets.js';
import { coloursFor, withProgress } from './terminal.js';

const worldOf = (io: CommandIo): ProbeWorld => ({ clock: realClock, wallClockMs: Date.now, env: io.env, signal: io.signal });

/** Records, and writes nothing when one recording cannot be kept. */
export async function recordAndTell(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options } = args;
  const calls = callsOf(options);
  const out = textOf(options['out']);
  const before = await fileBefore(out, options['append'] === true);
  const result = openResult(out, io.stdout);
  const target = await targetOf(args);
  const recorded = await withProgress(io, 'recording', (onProgress) =>
    recordFixtures(target, worldOf(io), {
      calls,
      runs: numberOf(options['runs']) ?? DEFAULT_RUNS,
      expectsErrors: options['expectError'] === true,
      owner: textOf(options['owner']),
      onProgress,
    }),
  );
  const fixtures = recorded.map(({ fixture }) => fixture);
  const text = before === undefined ? fixturesText(fixtures) : withFixtures(before, fixtures);
  // Names meet here for the first time: two of the same are refused before the file is touched.
  readFixtures(text, out ?? 'the recording');
  result.write(text);
  for (const { name, volatile } of recorded)
    io.stderr.write(
      `${name}: recorded${volatile.length === 0 ? '' : `, not comparing what changes by itself: ${volatile.join(', ').slice(0, 300)}`}\n`,
    );
  return EXIT.pass;
}

const DEFAULT_RUNS = 3;

function callsOf(options: CommandArguments['options']): readonly Canary[] {
  const mayWrite = options['allowWrites'] === true;
  const [call, prompt, resource] = [textOf(options['call']), textOf(options['prompt']), textOf(options['resource'])];
  const calls: Canary[] = [
    ...(call === undefined ? [] : parseCalls(call)).map((one): Canary => ({ name: one.tool, ...one, expect: {}, mayWrite })),
    ...(prompt === undefined ? [] : parseCalls(prompt, '--prompt')).map((one): Canary => ({
      name: one.tool,
      asks: 'prompt',
      ...one,
      expect: {},
      mayWrite: false,
    })),
    ...(resource?.split(';') ?? []).map((uri): Canary => ({
      name: uri,
      asks: 'resource',
      tool: uri,
      arguments: {},
      expect: {},
      mayWrite: false,
    })),
  ];
  const name = textOf(options['name']);
  if (calls.length === 0)
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'There is nothing to record.',
      advice: `Name a call: --call 'search {"q":"shoes"}', a prompt or a resource.`,
    });
  if (name === undefined) return calls;
  if (calls.length === 1) return [{ ...calls[0]!, name }];
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `--name is for one call, and here are ${calls.length}.`,
    advice: 'Record them one by one, with --append.',
  });
}

async function fileBefore(out: string | undefined, isAppending: boolean): Promise<string | undefined> {
  if (out === undefined) {
    if (isAppending) throw new ToolquakeError('BAD_ARGUMENT', { message: '--append needs a file.', advice: 'Name it with --out.' });
    return undefined;
  }
  if (!existsSync(out)) return undefined;
  if (!isAppending)
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `${out} exists.`,
      advice: 'Add to it with --append, or approve changed answers with "toolquake golden update".',
    });
  const source = await readPlanFile(out);
  readFixtures(source, out);
  refuseSeed(source, out);
  return source;
}

/** Verifies, and fails when one answer is not as expected. */
export async function verifyAndTell(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options } = args;
  const file = args.words[0]!;
  const fixtures = chosen(readFixtures(await readPlanFile(file), file), namesOf(options));
  const format = options['json'] === true ? 'json' : wordOf('--format', String(options['format']), ['console', 'json', 'junit']);
  const out = textOf(options['out']);
  const result = openResult(out, io.stdout);
  const target = await targetOf(args, args.words.slice(1));
  const report = await withProgress(io, 'verifying', (onProgress) => verifyFixtures(file, fixtures, target, worldOf(io), onProgress));
  const text = {
    console: () => renderVerify(report, paintOf(out === undefined ? io : undefined)),
    json: () => `${JSON.stringify(report, undefined, 2)}\n`,
    junit: () => renderVerifyJunit(report),
  }[format]();
  result.write(text);
  return { passed: EXIT.pass, failed: EXIT.failed, undecided: EXIT.inconclusive }[report.verdict];
}

/** Shows what would change, and writes it when somebody agrees. */
export async function updateAndTell(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options } = args;
  const file = args.words[0]!;
  const source = await readPlanFile(file);
  const fixtures = readFixtures(source, file);
  refuseSeed(source, file);
  const wanted = chosen(fixtures, namesOf(options));
  const result = openResult(file, io.stdout);
  const target = await targetOf(args, args.words.slice(1));
  const runs = numberOf(options['runs']) ?? DEFAULT_RUNS;
  const { changes, text } = await withProgress(io, 'recording', () => updateFixtures(source, fixtures, wanted, target, worldOf(io), runs));
  const isRefused = changes.some((change) => 'refusal' in change);
  const isChanged = text !== source;
  if (options['json'] !== true)
    io.stdout.write(changes.length === 0 ? `${file}: every fixture holds.\n` : renderChanges(changes, paintOf(io)));
  const isAgreed = isChanged && (options['yes'] === true || (options['json'] !== true && (await agrees(io, `Write this to ${file}?`))));
  if (isAgreed) result.write(text);
  if (options['json'] === true) io.stdout.write(`${JSON.stringify({ file, isWritten: isAgreed, changes }, undefined, 2)}\n`);
  if (isChanged) io.stderr.write(isAgreed ? `${file}: written.\n` : `${file}: nothing written. Write it with --yes.\n`);
  return isRefused || (isChanged && !isAgreed) ? EXIT.failed : EXIT.pass;
}

async function agrees(io: CommandIo, question: string): Promise<boolean> {
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) return false;
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal: io.signal })).trim());
  } finally {
    terminal.close();
  }
}

function renderChanges(changes: readonly FixtureChange[], paint: GoldenPaint): string {
  const painted = (line: string): string =>
    line.startsWith('- ') ? paint.bad(line) : line.startsWith('+ ') ? paint.good(line) : paint.dim(line);
  return changes
    .map((change) => {
      if ('refusal' in change) return `${change.name}: ${paint.warn('not ours to change')}: ${change.refusal}\n`;
      return `${change.name}:\n${change.diff.map((line) => `  ${painted(line)}\n`).join('')}`;
    })
    .join('');
}

function refuseSeed(source: string, file: string): void {
  if (!isSeedFile(parseText(source).value)) return;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${file} is a list in the older format, which is read and never written.`,
    advice: 'Record the calls again into a new file: toolquake golden record.',
  });
}

const namesOf = (options: CommandArguments['options']): readonly string[] => textOf(options['only'])?.split(';') ?? [];

function paintOf(io: CommandIo | undefined): GoldenPaint {
  const colours = coloursFor(io?.stdout ?? {}, io?.env ?? { NO_COLOR: '1' });
  return { good: colours.green, bad: colours.red, warn: colours.yellow, dim: colours.dim };
}
