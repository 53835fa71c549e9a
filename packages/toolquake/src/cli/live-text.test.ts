import { describe, expect, test } from 'vitest';
import { clipLine, createLiveText } from './live-text.js';

/** A terminal of so many columns and rows that obeys what is written: text, line ends, "up" and "clear below". */
function terminal(columns: number, rows: number) {
  const lines: string[] = [''];
  let row = 0;
  let top = 0;
  return {
    columns,
    rows,
    get all() {
      return lines;
    },
    write(text: string) {
      // eslint-disable-next-line no-control-regex -- the terminal reads escapes
      for (const [part] of text.matchAll(/\u001b\[\d*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) {
        const up = /\[(\d+)A/.exec(part);
        if (up !== null) row = Math.max(top, row - Number(up[1]));
        else if (part === '\u001b[J') {
          lines.length = row + 1;
          lines[row] = '';
        } else if (part === '\u001b[K') continue;
        else if (part === '\n') {
          row++;
          lines[row] ??= '';
        } else if (part !== '\r') {
          for (let at = 0; at < part.length; at += columns) {
            if (at > 0) row++;
            lines[row] = part.slice(at, at + columns);
          }
        }
        top = Math.max(top, row - rows + 1);
      }
    },
  };
}

describe('createLiveText', () => {
  test('draws over what it drew, also where lines were broken by the edge', () => {
    const screen = terminal(10, 24);
    const live = createLiveText(screen);
    live.draw(['a'.repeat(25), 'b']);
    live.draw(['c', 'd']);
    expect(screen.all).toEqual(['c', 'd', '']);
  });

  test('what fits into its room is never smeared', () => {
    const screen = terminal(20, 6);
    const live = createLiveText(screen);
    for (let round = 0; round < 5; round++) live.draw(Array.from({ length: live.room }, (_, index) => `${round} ${index}`));
    expect(screen.all).toEqual(['4 0', '4 1', '4 2', '4 3', '4 4', '']);
  });
});

describe('clipLine', () => {
  test('leaves what fits, cuts what does not, counts wide characters twice and closes colours', () => {
    expect(clipLine('short', 5)).toBe('short');
    expect(clipLine('longer', 5)).toBe('long…');
    expect(clipLine('日本語', 5)).toBe('日本…');
    expect(clipLine('\u001b[31mlonger\u001b[39m', 5)).toBe('\u001b[31mlong…\u001b[0m');
  });
});
