/** Raw latencies on disk: runs appended to one file, which is a baseline today and a history in a month. */
import { ToolquakeError } from '@toolquake/sdk/core';
import { runsOf, type CapturedRun } from '../gates/latency/sample-book.js';
import { parseSampleLine, SAMPLE_VERSION, sampleText, type RunStart, type SampleFileLine } from '../gates/latency/sample-line.js';
import type { LatencySample } from '../gates/latency/measure.js';
import { openLines } from './journal-file.js';
import { readLines } from './journal-lines.js';

/** A run that is being written. */
export type SampleFile = {
  readonly add: (sample: LatencySample) => void;
  /** Writes the end, when the run was `complete`, and waits for the disk. Throws when lines were lost. */
  close(isComplete: boolean): Promise<void>;
};

/** Opens (or creates) a file for one more run. The run's start is written with its first latency. */
export function openSamples(path: string, start: Omit<RunStart, 'v' | 'kind'>, tell: (line: string) => void): SampleFile {
  const { run } = start;
  let dropped = 0;
  const file = openLines<SampleFileLine>(path, tell, {
    title: 'The file of samples',
    lineOf: sampleText,
    droppedLine: (count) => {
      dropped += count;
      return '';
    },
  });
  let hasStarted = false;
  return {
    add(sample) {
      if (!hasStarted) file.append({ v: SAMPLE_VERSION, kind: 'start', ...start });
      hasStarted = true;
      file.append({ v: SAMPLE_VERSION, kind: 'sample', run, ...sample });
    },
    async close(isComplete) {
      if (!hasStarted) return file.abandon();
      if (isComplete && dropped === 0) file.append({ v: SAMPLE_VERSION, kind: 'end', run });
      await file.close();
      const failure = file.failure();
      if (failure !== undefined) throw failure;
    },
  };
}

const ADVICE = 'Name a file of samples: what "toolquake bench capture --out FILE" wrote.';

/** Reads the runs of a file. A line that was cut off by a kill, at the end or before the next run, is forgiven; others are refused. */
export async function readSamples(path: string): Promise<readonly CapturedRun[]> {
  const lines: SampleFileLine[] = [];
  let torn: { readonly number: number; readonly why: string } | undefined;
  const refuse = ({ number, why }: NonNullable<typeof torn>): ToolquakeError =>
    new ToolquakeError('BAD_SYNTAX', { message: `${path}:${number} ${why}.`, advice: ADVICE });
  await readLines(path, {
    onLine(text, number) {
      if (text?.trim() === '') return;
      const line = text === undefined ? 'is too long' : parseSampleLine(text);
      if (torn !== undefined && (typeof line === 'string' || line.kind !== 'start')) throw refuse(torn);
      torn = undefined;
      if (typeof line !== 'string') lines.push(line);
      else if (line === 'is no JSON') torn = { number, why: line };
      else throw refuse({ number, why: line });
    },
  }).catch((error: unknown) => {
    if (!(error instanceof ToolquakeError) || error.code !== 'UNREADABLE') throw error;
    throw new ToolquakeError('UNREADABLE', { message: error.message, advice: ADVICE, cause: error });
  });
  if (lines.length > 0) return runsOf(lines);
  if (torn !== undefined) throw refuse(torn);
  throw new ToolquakeError('EMPTY_INPUT', { message: `${path} is empty: there is no baseline in it.`, advice: ADVICE });
}
