/** The first part of a text, never ending in half a character. */
export function startOf(text: string, keepRatio: number): string {
  const kept = text.slice(0, Math.floor(text.length * keepRatio));
  return /[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept;
}
