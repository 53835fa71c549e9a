/** Recordings on disk: appended in whole lines like a journal, and read with the place of every mistake. */
import { ToolquakeError } from '@toolquake/sdk/core';
import { isStart, parseRecordingLine, recordingText, RECORDING_VERSION, type RecordingLine } from '../recordings/recording-line.js';
import { openLines, type LineFile } from './journal-file.js';
import { readLines } from './journal-lines.js';

/** Opens (or creates) a recording for appending. Throws before anything was started when that is not possible. */
export function openRecording(path: string, run: string, onProblem: (message: string) => void): LineFile<RecordingLine> {
  return openLines(path, onProblem, {
    title: 'The recording',
    lineOf: recordingText,
    droppedLine: (count) => {
      onProblem(`${count} messages are missing in ${path}: the disk is too slow.`);
      return recordingText({ v: RECORDING_VERSION, atMs: 0, session: run, direction: 'to-client', note: 'too large' });
    },
  });
}

/** Reads a recording. A torn line is forgiven where a run may have been killed: at the end, or before the next run's start. */
export async function readRecording(path: string): Promise<readonly RecordingLine[]> {
  const lines: RecordingLine[] = [];
  let torn: { readonly number: number; readonly why: string } | undefined;
  await readLines(path, {
    onLine(text, number) {
      if (text?.trim() === '') return;
      const line = text === undefined ? 'is too long' : parseRecordingLine(text);
      const isGoodStart = typeof line !== 'string' && isStart(line);
      if (torn !== undefined && !isGoodStart) throw badLine(path, torn.number, torn.why);
      torn = typeof line === 'string' ? { number, why: line } : undefined;
      if (typeof line !== 'string') lines.push(line);
    },
  }).catch((error: unknown) => {
    if (!(error instanceof ToolquakeError) || error.code !== 'UNREADABLE') throw error;
    throw new ToolquakeError('UNREADABLE', { message: error.message, advice: ADVICE, cause: error });
  });
  if (lines.length > 0) return lines;
  if (torn !== undefined) throw badLine(path, torn.number, torn.why);
  throw new ToolquakeError('EMPTY_INPUT', { message: `${path} is empty: there is nothing to replay.`, advice: ADVICE });
}

const ADVICE = 'Name a recording: what "toolquake record --out FILE" wrote.';

function badLine(path: string, number: number, why: string): ToolquakeError {
  return new ToolquakeError('BAD_SYNTAX', { message: `${path}:${number} ${why}.`, advice: ADVICE });
}
