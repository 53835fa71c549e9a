/** Events as aligned lines for a terminal. */
import { printable } from '../escape.js';
import type { Paint } from '../figures.js';
import type { RunEvent } from './run-events.js';

/** Time since the start, always as wide: `01:02.3`; from an hour on `1:02:03`. */
export function clockText(ms: number): string {
  const tenths = Math.floor(Math.max(0, ms) / 100);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes, seconds] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, Math.floor(tenths / 10) % 60];
  return hours === 0 ? `${two(minutes)}:${two(seconds)}.${tenths % 10}` : `${hours}:${two(minutes)}:${two(seconds)}`;
}

const PHASE_WIDTH = 'preconditions'.length;
const MARK_WIDTH = 'not steady'.length;

/** Narrower than this nobody reads; the terminal breaks the lines then. */
const MIN_TEXT = 24;

/** Columns before the text of an event, without the phase. */
const BEFORE_TEXT = 2 + 7 + 2 + MARK_WIDTH + 2;

/** Below it, the phase has no column: its first line says what begins. */
const PHASE_FROM_WIDTH = 72;

/** The phase in its column, or nothing where there is no room for one. */
export const phaseColumn = (phase: string, width: number): string => (width < PHASE_FROM_WIDTH ? '' : `${phase.padEnd(PHASE_WIDTH)}  `);

/** One event; the text goes on below itself where the terminal ends. */
export function eventLines({ atMs, phase, mark, tone, text }: RunEvent, paint: Paint, width: number): readonly string[] {
  const word = mark.padEnd(MARK_WIDTH);
  const painted =
    tone === 'bad' ? paint.red(word) : tone === 'good' ? paint.green(word) : mark === 'phase' ? paint.dim(word) : paint.bold(word);
  const column = phaseColumn(phase, width);
  const before = BEFORE_TEXT + column.length;
  const lines = brokenLines(printable(text), Math.max(MIN_TEXT, width - before));
  const head = `  ${paint.dim(clockText(atMs).padStart(7))}  ${paint.dim(column)}${painted}  ${lines[0] ?? ''}`;
  return [head.trimEnd(), ...lines.slice(1).map((line) => `${' '.repeat(before)}${line}`)];
}

/** Text in lines of at most so many characters; a longer word is cut into pieces. */
export function brokenLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const pieces = word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''];
    for (const [index, piece] of pieces.entries()) {
      const last = lines.at(-1);
      if (last !== undefined && index === 0 && last.length + 1 + piece.length <= width) lines[lines.length - 1] = `${last} ${piece}`;
      else lines.push(piece);
    }
  }
  return lines;
}
