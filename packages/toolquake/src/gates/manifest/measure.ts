/** How large and how deep a value is, found without recursion: what is refused here never reaches code that recurses. */

/** Deeper definitions are an attack: the deepest schema of a real server seen so far has 14 levels. */
const MAX_DEFINITION_DEPTH = 100;
/** Values inside one definition. */
const MAX_DEFINITION_VALUES = 100_000;

/** What is wrong with the size of a value, in words; undefined when nothing is. */
export function oversize(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let seen = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (++seen > MAX_DEFINITION_VALUES) return `it holds more than ${MAX_DEFINITION_VALUES} values`;
    if (typeof one.value !== 'object' || one.value === null) continue;
    if (one.depth >= MAX_DEFINITION_DEPTH) return `it is nested more than ${MAX_DEFINITION_DEPTH} levels deep`;
    for (const inner of Object.values(one.value)) open.push({ value: inner, depth: one.depth + 1 });
  }
  return undefined;
}
