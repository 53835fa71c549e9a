/** `toolquake bench capture` and `bench compare`: from options to a result, a page and an exit code. */
import { ToolquakeError } from '@toolquake/sdk/core';
import { verdictOf } from '../gates/latency/latency-report.js';
import { CallFailed } from '../gates/latency/measure.js';
import { MAX_P95_RATIO } from '../gates/latency/ratio-gate.js';
import { headlineOf, renderLatency, type LatencyResult } from '../gates/latency/render-latency.js';
import { measureTarget } from '../operations/bench-capture.js';
import { compareTargets, compareWithStored } from '../operations/bench-compare.js';
import { openResult } from '../operations/result-file.js';
import { readSamples } from '../operations/sample-file.js';
import { duration, PLAIN, table } from '../reporters/figures.js';
import { printable } from '../reporters/escape.js';
import { callsOf, comparedOf, type Compared } from './bench-targets.js';
import { EXIT, numberOf, textOf, wordOf, type CommandArguments, type CommandIo } from './command.js';
import { targetOf } from './targets.js';
import { coloursFor, withProgress } from './terminal.js';

const DEFAULT_PACE_MS = 500;
const DEFAULT_ITERATIONS = 100;
/** Enough for a P95 that is compared with a hundred, where every minute costs. */
const CI_ITERATIONS = 20;

/** Options that mean something to some gates only. */
const OPTIONS_OF_GATES: Readonly<Record<string, readonly string[]>> = {
  iterations: ['ratio', 'history'],
  maxRatio: ['ratio'],
  thorough: ['paired'],
};

function refuseMisfits({ options }: CommandArguments, gate: string): void {
  for (const [name, gates] of Object.entries(OPTIONS_OF_GATES)) {
    if (options[name] === undefined || options[name] === false || gates.includes(gate)) continue;
    const flag = `--${name === 'maxRatio' ? 'max-ratio' : name}`;
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `${flag} has no meaning for the ${gate} gate.`,
      advice: `It is for: ${gates.map((one) => `--gate ${one}`).join(', ')}.`,
    });
  }
}

/** Measures a target into a file. */
export async function captureAndTell(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options } = args;
  const candidate = await targetOf(args);
  const calls = callsOf(args, candidate);
  const path = textOf(options['out'])!;
  try {
    const { tools } = await withProgress(io, 'measuring', (onProgress) =>
      measureTarget({
        ...settingsOf(args, io),
        target: candidate.target,
        calls,
        iterations: numberOf(options['iterations']) ?? DEFAULT_ITERATIONS,
        paceMs: numberOf(options['pace']) ?? DEFAULT_PACE_MS,
        isCalibrated: options['calibrate'] === true,
        samplesPath: path,
        changePoint: textOf(options['changePoint']),
        onProgress,
      }),
    );
    const rows = tools.map(({ tool, figures }) => [
      printable(tool),
      String(figures.count),
      ...[figures.p50, figures.p95, figures.p99].map((ms) => duration(ms)),
    ]);
    io.stderr.write(`${table([['tool', 'calls', 'p50', 'p95', 'p99'], ...rows], { indent: 0 })}Samples: ${path}\n`);
    return EXIT.pass;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    io.stderr.write(
      `${printable(`Aborted: a call of ${error.tool} failed, and how fast a failure comes is no latency: ${error.message}`)}\n`,
    );
    return EXIT.inconclusive;
  }
}

/** Compares and judges. */
export async function compareAndTell(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options } = args;
  const format =
    options['json'] === true ? 'json' : wordOf('--format', String(options['format']), ['console', 'json', 'markdown', 'junit']);
  const compared = await comparedOf(args);
  const out = textOf(options['out']);
  const page = openResult(out, io.stdout);
  const result = await withProgress(io, 'measuring', (onProgress) =>
    'path' in compared.baseline
      ? withStored(args, io, compared.candidate, compared.baseline.path, onProgress)
      : live(args, io, compared, onProgress),
  );
  page.write(renderLatency(result, format, out === undefined ? coloursFor(io.stdout, io.env) : PLAIN));
  if (out !== undefined) io.stderr.write(`${headlineOf(result)}\n`);
  return exitCodeOf(result);
}

function exitCodeOf({ tools }: LatencyResult): number {
  switch (verdictOf(tools)) {
    case 'passed':
      return EXIT.pass;
    case 'inconclusive':
      return EXIT.inconclusive;
    case 'aborted':
      // Calls that fail on the baseline (or on our own calibration) say nothing about the candidate.
      return tools.some(({ failedSide }) => failedSide === 'candidate') ? EXIT.failed : EXIT.inconclusive;
    default:
      return EXIT.failed;
  }
}

function settingsOf({ options }: CommandArguments, io: CommandIo) {
  return {
    warmUpCalls: numberOf(options['warmUp'])!,
    runner: textOf(options['runner']),
    env: io.env,
    signal: io.signal,
    tell: (line: string): void => void io.stderr.write(`toolquake: ${line}\n`),
  };
}

const comparedSettingsOf = (args: CommandArguments, io: CommandIo) => ({
  ...settingsOf(args, io),
  iterations: numberOf(args.options['iterations']) ?? (isSet(io.env['CI']) ? CI_ITERATIONS : DEFAULT_ITERATIONS),
  maxRatio: numberOf(args.options['maxRatio']) ?? MAX_P95_RATIO,
  samplesPath: textOf(args.options['samples']),
});

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== 'false';

async function live(
  args: CommandArguments,
  io: CommandIo,
  compared: Compared,
  onProgress: (share: number) => void,
): Promise<LatencyResult> {
  const { candidate, baseline } = compared;
  if ('path' in baseline) throw new Error('a file is no running target');
  const { options } = args;
  const gate = wordOf('--gate', textOf(options['gate']) ?? 'paired', ['paired', 'ratio', 'history']);
  if (gate === 'history') {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'The history gate compares with captured runs, and two targets are named here.',
      advice: 'Leave --gate out: two targets that both run are compared best side by side. Or name a file of samples as the baseline.',
    });
  }
  refuseMisfits(args, gate);
  return compareTargets({
    ...comparedSettingsOf(args, io),
    baseline: baseline.target,
    candidate: candidate.target,
    calls: callsOf(args, candidate),
    gate,
    paceMs: numberOf(options['pace']) ?? (gate === 'paired' ? 0 : DEFAULT_PACE_MS),
    isThorough: options['thorough'] === true,
    seed: numberOf(options['seed'])!,
    onProgress,
  });
}

async function withStored(
  args: CommandArguments,
  io: CommandIo,
  { target, ...rest }: Compared['candidate'],
  path: string,
  onProgress: (share: number) => void,
): Promise<LatencyResult> {
  const gate = wordOf('--gate', textOf(args.options['gate']) ?? 'ratio', ['paired', 'ratio', 'history']);
  if (gate === 'paired') {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `The paired gate measures both sides in turns, and ${path} is only a file.`,
      advice: 'Start the baseline build and name it, or use --gate ratio or --gate history.',
    });
  }
  refuseMisfits(args, gate);
  const runs = await readSamples(path);
  return compareWithStored({
    ...comparedSettingsOf(args, io),
    target,
    calls: callsOf(args, { target, ...rest }, runs),
    baselinePath: path,
    runs,
    gate,
    paceMs: numberOf(args.options['pace']) ?? DEFAULT_PACE_MS,
    onProgress,
  });
}
