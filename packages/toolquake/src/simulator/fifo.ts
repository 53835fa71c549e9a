/** A queue that takes out at its front without moving the rest. */
export type Fifo<Item> = {
  push(item: Item): void;
  /** Takes the oldest item out; undefined when there is none. */
  shift(): Item | undefined;
  size(): number;
  /** Leaves only some in, in their order. */
  keep(isKept: (item: Item) => boolean): void;
  /** Takes everything out. */
  drain(): readonly Item[];
};

/** Below this many dead places at the front nobody tidies up. */
const MIN_DEAD = 1024;

/** An empty queue. */
export function createFifo<Item>(): Fifo<Item> {
  let items: (Item | undefined)[] = [];
  let first = 0;
  return {
    push(item) {
      items.push(item);
    },
    shift() {
      if (first === items.length) return undefined;
      const item = items[first];
      items[first++] = undefined;
      if (first >= MIN_DEAD && first * 2 > items.length) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
    size: () => items.length - first,
    keep(isKept) {
      items = items.slice(first).filter((item) => isKept(item as Item));
      first = 0;
    },
    drain() {
      const all = items.slice(first) as Item[];
      items = [];
      first = 0;
      return all;
    },
  };
}
