/** In which order the calls of two targets take turns, so that whatever drifts meanwhile touches both alike. */

/** The two sides of a comparison. */
export type Side = 'baseline' | 'candidate';

/**
 * The sides of the calls of one block: ABBAABBA..., or its mirror image in every other block. Neither side is first, last,
 * or right after a pause more often than the other.
 */
export function blockOrder(block: number, callsPerSide: number): readonly Side[] {
  const [first, second]: readonly [Side, Side] = block % 2 === 0 ? ['baseline', 'candidate'] : ['candidate', 'baseline'];
  return Array.from({ length: 2 * callsPerSide }, (_, index) => (index % 4 === 0 || index % 4 === 3 ? first : second));
}
