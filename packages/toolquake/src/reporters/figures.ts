/** Figures as text: short, aligned, and never better than they are. */
import type { Interval } from '@toolquake/sdk/core';

/** The colours that a report uses; a face hands in real ones or none. */
export type Paint = { bold(text: string): string; dim(text: string): string; red(text: string): string; green(text: string): string };

/** No colours: for files, pipes and tests. */
export const PLAIN: Paint = { bold: (text) => text, dim: (text) => text, red: (text) => text, green: (text) => text };

/** A share with two digits. What is not quite 0 or 1 never reads as 0 or 1. */
export function share(value: number | undefined): string {
  if (value === undefined) return 'n/a';
  if (value > 0 && value < 0.005) return '<0.01';
  if (value < 1 && value >= 0.995) return '>0.99';
  return value.toFixed(2);
}

/** A share as a percentage, with as many digits as it needs: `2 %`, `0.25 %`. What is not quite all never reads as all. */
export function percent(value: number | undefined): string {
  if (value === undefined) return 'n/a';
  const rounded = Number((100 * value).toPrecision(2));
  return rounded === 100 && value < 1 ? '>99 %' : `${rounded} %`;
}

/** A plain number with a fixed number of digits. */
export function figure(value: number | undefined, digits: number): string {
  return value === undefined ? 'n/a' : value.toFixed(digits);
}

/** `(0.10 to 0.20)`, or nothing. */
export function range(interval: Interval | undefined): string {
  return interval === undefined ? '' : `(${share(interval.low)} to ${share(interval.high)})`;
}

/** `1 task`, `2 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** How one cell is laid out and painted. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** Aligned columns: the first to the left, the rest to the right unless `left` names them. Independent of the terminal. */
export function table(rows: readonly (readonly Cell[])[], options: { readonly indent: number; readonly left?: readonly number[] }): string {
  const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textOf(row[column] ?? '').length)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const isLeft = column === 0 || options.left?.includes(column) === true;
      // Nothing after the last word: trailing spaces would hide inside the colours.
      const width = isLeft && column === row.length - 1 ? 0 : widths[column]!;
      const text = isLeft ? textOf(cell).padEnd(width) : textOf(cell).padStart(width);
      return typeof cell === 'string' ? text : cell.paint(text);
    });
    return `${' '.repeat(options.indent)}${cells.join('   ')}`.trimEnd();
  });
  return `${lines.join('\n')}\n`;
}

/** Sentences as lines that a terminal of the usual width shows whole. */
export function wrapped(text: string, indent: number, width = 100): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width - indent) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('');
}

/** Measures as JSON: what is unknown is null, not absent. */
export function nullsFor<Value extends object>(values: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> | null } {
  const entries = Object.entries(values).map(([key, value]: [string, unknown]) => [key, value ?? null]);
  return Object.fromEntries(entries) as { [Key in keyof Value]: Exclude<Value[Key], undefined> | null };
}

/** A whole number with its thousands set apart, the same in every locale. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** A duration with as much precision as anybody reads: `0.42 ms`, `850 ms`, `12.5 s`, `2 min 5 s`, `3 h 20 min`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return 'n/a';
  if (ms === 0) return '0 ms';
  if (ms < 1000) return `${Number(ms.toPrecision(ms < 10 ? 2 : 3))} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toPrecision(3))} s`;
  const seconds = Math.round(ms / 1000);
  const [large, small, unit] = seconds < 3600 ? [60, 1, ['min', 's']] : [3600, 60, ['h', 'min']];
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${unit[0]}${rest === 0 ? '' : ` ${rest} ${unit[1]}`}`;
}

/** `1,500 calls`: for counts that may be large. */
export function many(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
