/** A bulkhead: at most so many calls at a time, so that one slow place cannot take all the room there is. */

/** The state of one bulkhead. */
export type Bulkhead = {
  /** Takes a place; false when all are taken. Whoever got one leaves it once. */
  enter(): boolean;
  leave(): void;
  inside(): number;
};

/** Starts an empty bulkhead. */
export function createBulkhead({ maxInFlight }: { readonly maxInFlight: number }): Bulkhead {
  let inside = 0;
  return {
    enter() {
      if (inside >= maxInFlight) return false;
      inside++;
      return true;
    },
    leave() {
      if (inside > 0) inside--;
    },
    inside: () => inside,
  };
}
