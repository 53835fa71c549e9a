/** How much work a comparison may cost. Schemas are hostile input: what runs out is told, never guessed. */

/** What is left. One budget for one pair of schemas. */
export type Budget = { left: number };

/** Places looked at per pair of schemas. The largest schema of a real server seen so far has some 3,000. */
export const MAX_PLACES = 20_000;
/** Schemas inside schemas, references included. */
export const MAX_DEPTH = 64;

/** Takes some work out of the budget; false when it has run out. */
export function spend(budget: Budget, work = 1): boolean {
  budget.left -= work;
  return budget.left > 0;
}
