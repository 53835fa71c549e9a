/** Text that is drawn again in its place on a terminal. */
import { displayWidth } from './terminal.js';

/** The terminal, as far as drawing needs it. Its size may change at any time. */
export type Screen = { write(text: string): unknown; readonly columns?: number; readonly rows?: number };

/** Something that stays where it is while its content changes. */
export type LiveText = {
  /** Draws lines over those before. */
  draw(lines: readonly string[]): void;
  /** How many lines fit, the one of the cursor left out. */
  readonly room: number;
};

/** No terminal scrolls back to what has left its top, so what is drawn must never be taller than the screen. */
export function createLiveText(screen: Screen): LiveText {
  let drawn: readonly string[] = [];
  const columns = (): number => Math.max(1, screen.columns ?? 100);
  const room = (): number => Math.max(1, (screen.rows ?? 24) - 1);
  const heightOf = (line: string): number => Math.max(1, Math.ceil(displayWidth(line) / columns()));
  return {
    get room() {
      return room();
    },
    draw(lines) {
      // Counted at the width of now: a terminal that was made narrower has broken the lines anew.
      const above = Math.min(room(), heightsOf(drawn));
      // Written over line by line: some terminals keep a whole screen that is cleared in their history, once per drawing.
      screen.write(`${above > 0 ? `\u001b[${above}A\r` : ''}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
      drawn = lines;
    },
  };

  function heightsOf(lines: readonly string[]): number {
    return lines.reduce((sum, line) => sum + heightOf(line), 0);
  }
}

/** The text on one line of a terminal: cut where it is too long. Escapes of colours take no room, and the last one is closed. */
export function clipLine(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  let width = 0;
  let kept = '';
  let isColoured = false;
  // eslint-disable-next-line no-control-regex -- escape sequences are what this looks for
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith('\u001b[')) {
      kept += part;
      isColoured = true;
      continue;
    }
    for (const { segment } of new Intl.Segmenter().segment(part)) {
      const more = displayWidth(segment);
      if (width + more > columns - 1) return `${kept}…${isColoured ? '\u001b[0m' : ''}`;
      kept += segment;
      width += more;
    }
  }
  return kept;
}
