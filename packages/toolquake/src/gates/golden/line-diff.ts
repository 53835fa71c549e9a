/** Two texts, line by line. */

/** Larger comparisons show only what is left and what is right. */
const MAX_CELLS = 4_000_000;

/** Lines with "- ", "+ " or "  " before them. */
export function lineDiff(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  if (old.length * now.length > MAX_CELLS) return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)];
  // lengths[i][j]: how many lines old from i and now from j have in common.
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i]![j] = old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(`  ${old[i++]}`);
      j++;
    } else if (j >= now.length || (i < old.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) lines.push(`- ${old[i++]}`);
    else lines.push(`+ ${now[j++]}`);
  }
  return lines;
}
