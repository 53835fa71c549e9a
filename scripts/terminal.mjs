// How the scripts speak: colours that respect NO_COLOR and pipes, durations, aligned columns.

/** Colour for people, plain text for pipes; NO_COLOR and FORCE_COLOR decide over both. */
export const wantsColour = () => {
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR) return process.env.FORCE_COLOR !== '0';
  return process.stdout.isTTY === true;
};

const paint = (open, close) => (text) => (wantsColour() ? `\u001b[${open}m${text}\u001b[${close}m` : String(text));

export const bold = paint(1, 22);
export const dim = paint(2, 22);
export const red = paint(31, 39);
export const green = paint(32, 39);
export const yellow = paint(33, 39);

/** Milliseconds as people read them: `0.4 s`, `12.3 s`, `3 min 05 s`. */
export function duration(ms) {
  const seconds = ms / 1000;
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** A budget is a round number; print it as one. */
export function budget(ms) {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}

/** Text without colour codes, which take no room on screen and some tools emit unasked. */
// oxlint-disable-next-line no-control-regex -- colour codes are control characters
export const plain = (text) => text.replace(/\u001b\[[\d;]*m/g, '');

const width = (text) => plain(text).length;

/** Rows of text cells, aligned; columns named in `right` (by index) are set flush right. */
export function table(rows, right = []) {
  const widths = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, width(cell))));
  const pad = (cell, i) => {
    const space = ' '.repeat(widths[i] - width(cell));
    return right.includes(i) ? space + cell : cell + space;
  };
  return rows.map((row) => `  ${row.map(pad).join('  ')}`.trimEnd()).join('\n');
}

/** Every line moved right, so that a step's output reads as belonging to it. */
export function indent(text, by = 4) {
  return text.trimEnd().replace(/^(?=.)/gm, ' '.repeat(by));
}
