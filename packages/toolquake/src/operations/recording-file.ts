/** Recordings on disk: appended in whole lines like a journal, and read with the place of every mistake. */
import { ToolquakeError } from '@toolquake/sdk/core';
import {
  isStart,
  isTornLine,
  parseRecordingLine,
  recordingText,
  RECORDING_VERSION,
  type RecordingLine,
} from '../recordings/recording-line.js';
import { openLines, type LineFile } from './journal-file.js';
import { readLines } from './journal-lines.js';

/** An open recording. */
export type RecordingFile = LineFile<RecordingLine> & {
  /** False when lines are missing: the disk failed, or was too slow. */
  isComplete(): boolean;
};

/** Tells this run from others that append to the same file: some clients start a server command twice. */
export const runName = (): string => `${process.pid}-${Date.now().toString(36)}`;

/** Opens (or creates) a recording for appending. Throws before anything was started when that is not possible. */
export function openRecording(path: string, run: string, onProblem: (message: string) => void): RecordingFile {
  let dropped = 0;
  const file = openLines<RecordingLine>(path, onProblem, {
    title: 'The recording',
    lineOf: recordingText,
    droppedLine: (count) => {
      dropped += count;
      onProblem(`${count} messages are missing in ${path}: the disk is too slow.`);
      return recordingText({ v: RECORDING_VERSION, atMs: 0, session: run, direction: 'to-client', note: 'too large' });
    },
  });
  return { ...file, isComplete: () => dropped === 0 && file.failure() === undefined };
}

/**
 * Reads a recording. A torn line is forgiven where a run may have been killed: at the end of the file, without a line end,
 * or before the start of the next run. Any other bad line is refused: nobody could tell what a replay would be without.
 */
export async function readRecording(path: string): Promise<readonly RecordingLine[]> {
  const lines: RecordingLine[] = [];
  let torn: { readonly number: number; readonly why: string } | undefined;
  let isTornAtEnd = false;
  await readLines(path, {
    onLine(text, number, hasEnd) {
      if (text?.trim() === '') return;
      const line = text === undefined ? 'is too long' : parseRecordingLine(text);
      const isGoodStart = typeof line !== 'string' && isStart(line);
      if (torn !== undefined && !isGoodStart) throw badLine(path, torn.number, torn.why);
      torn = undefined;
      if (typeof line !== 'string') lines.push(line);
      else if (text !== undefined && isTornLine(text)) torn = { number, why: hasEnd ? line : 'is cut off' };
      else throw badLine(path, number, line);
      isTornAtEnd = !hasEnd;
    },
  }).catch((error: unknown) => {
    if (!(error instanceof ToolquakeError) || error.code !== 'UNREADABLE') throw error;
    throw new ToolquakeError('UNREADABLE', { message: error.message, advice: ADVICE, cause: error });
  });
  // A start that never came: the line was not torn by a kill.
  if (torn !== undefined && !isTornAtEnd) throw badLine(path, torn.number, torn.why);
  if (lines.length > 0) return lines;
  if (torn !== undefined) throw badLine(path, torn.number, torn.why);
  throw new ToolquakeError('EMPTY_INPUT', { message: `${path} is empty: there is nothing to replay.`, advice: ADVICE });
}

const ADVICE = 'Name a recording: what "toolquake record --out FILE" wrote.';

function badLine(path: string, number: number, why: string): ToolquakeError {
  return new ToolquakeError('BAD_SYNTAX', { message: `${path}:${number} ${why}.`, advice: ADVICE });
}
