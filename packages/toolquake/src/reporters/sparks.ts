/** Numbers as small pictures made of letters. */

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const HEIGHTS = '▁▂▃▄▅▆▇█';

/** A horizontal bar for a share; what is not quite nothing shows. Always `width` wide. */
export function bar(share: number | undefined, width: number): string {
  if (share === undefined || !(share > 0)) return ' '.repeat(width);
  const eighths = Math.max(1, Math.round(Math.min(1, share) * width * 8));
  return `${'█'.repeat(eighths >> 3)}${EIGHTHS[eighths & 7]}`.padEnd(width);
}

/** A line of little columns, at most `width`; against `top`, or against the largest value. Where nothing is known there is a gap. */
export function sparkline(
  values: readonly (number | undefined)[],
  top = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0),
  width = 48,
): string {
  const step = Math.max(1, values.length / width);
  const columns = Array.from({ length: Math.min(width, values.length) }, (_, index) =>
    values
      .slice(Math.floor(index * step), Math.max(Math.floor(index * step) + 1, Math.floor((index + 1) * step)))
      .reduce((most, value) => (value === undefined ? most : Math.max(most ?? 0, value)), undefined),
  );
  return columns.map((value) => (value === undefined ? ' ' : heightOf(value, top))).join('');
}

function heightOf(value: number, top: number): string {
  return HEIGHTS[top <= 0 ? 0 : Math.min(7, Math.ceil((8 * value) / top) - (value > 0 ? 1 : 0))] ?? '▁';
}
