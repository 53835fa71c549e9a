/** Terminal text: colours, widths, aligned tables and a progress line. */
import pc from 'picocolors';
import type { CommandIo } from './command.js';

/** The colours of picocolors, or none. */
export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for a stream: `NO_COLOR` wins, then `FORCE_COLOR`, then whether it is a terminal. */
export function coloursFor(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Colours {
  if (isSet(env['NO_COLOR'])) return pc.createColors(false);
  if (isSet(env['FORCE_COLOR'])) return pc.createColors(env['FORCE_COLOR'] !== '0');
  return pc.createColors(stream.isTTY === true && env['TERM'] !== 'dumb');
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

// eslint-disable-next-line no-control-regex -- escape sequences are what this looks for
const ESCAPES = /\u001b\[[0-9;]*m/g;
// Printable ASCII has its length as width, and needs no segmenter.
const PLAIN = /^[\u0020-\u007e]*$/;
const INVISIBLE = /^[\p{Mark}\p{Cf}\p{Cc}]$/u;
const PICTURE = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;

/** How many columns a terminal needs: 0 for escapes and combining marks, 2 for wide East Asian characters and emoji. */
export function displayWidth(text: string): number {
  const shown = text.replace(ESCAPES, '');
  if (PLAIN.test(shown)) return shown.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(shown)) width += clusterWidth(segment);
  return width;
}

function clusterWidth(cluster: string): number {
  if (PICTURE.test(cluster)) return 2;
  for (const character of cluster) {
    if (!INVISIBLE.test(character)) return isWide(character.codePointAt(0)!) ? 2 : 1;
  }
  return 0;
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

/** The text filled up to a width. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Breaks text at spaces; a word longer than the width stays whole, so that it can be copied. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** How a table is laid out. */
export type TableOptions = { readonly width: number; readonly indent?: number; readonly gap?: number };

/** Aligned columns; the last one wraps within the width. Every line ends with a newline. */
export function renderTable(rows: readonly (readonly string[])[], { width, indent = 0, gap = 2 }: TableOptions): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(0, ...rows.map((row) => displayWidth(row[column] ?? ''))));
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + gap, indent);
  // Narrow terminals: 24 columns of text wrap better than none.
  const lastWidth = Math.max(24, width - before);
  let text = '';
  for (const row of rows) {
    const cells = row.slice(0, count - 1).map((cell, column) => padEnd(cell, widths[column]! + gap));
    const head = padEnd(' '.repeat(indent) + cells.join(''), before);
    wrap(row[count - 1] ?? '', lastWidth).forEach((line, index) => {
      text += `${`${index === 0 ? head : ' '.repeat(before)}${line}`.trimEnd()}\n`;
    });
  }
  return text;
}

/** Work quicker than this shows no progress: a line that flashes by only distracts. */
const QUIET_MS = 2000;

/** A line on stderr that says how far we are: only on a terminal, only for work that takes longer than two seconds. */
function startProgress(io: Pick<CommandIo, 'stderr' | 'env'>, text: () => string): () => void {
  const { stderr } = io;
  if (stderr.isTTY !== true || isSet(io.env['CI'])) return () => {};
  let isShown = false;
  const show = (): void => {
    isShown = true;
    stderr.write(`\r\u001b[K${text()}`);
  };
  let repeat: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    show();
    repeat = setInterval(show, 200);
    repeat.unref();
  }, QUIET_MS);
  first.unref();
  return () => {
    clearTimeout(first);
    clearInterval(repeat);
    if (isShown) stderr.write('\r\u001b[K');
  };
}

/** Does work that tells the share it has done, with a progress line beside it. */
export async function withProgress<Result>(
  io: Pick<CommandIo, 'stderr' | 'env'>,
  activity: string,
  work: (onProgress: (share: number) => void) => Promise<Result>,
): Promise<Result> {
  let done = 0;
  const stop = startProgress(io, () => `${activity} ... ${Math.floor(100 * done)} %`);
  try {
    return await work((share) => {
      done = share;
    });
  } finally {
    stop();
  }
}
