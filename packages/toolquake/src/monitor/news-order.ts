/** Puts the news of probes that overlap in order. Pure. */

/** Tells whether the news of a probe still count. `slot` numbers the probes in the order in which they began. */
export type NewsOrder = {
  counts(news: { readonly slot: number; readonly isUp: boolean }): boolean;
  /** Was one heard that began after it? */
  isLate(slot: number): boolean;
};

/** Older news that contradict newer ones are no news: a probe that hung for seconds says nothing about a server that is well again. */
export function createNewsOrder(): NewsOrder {
  let newest: { readonly slot: number; readonly isUp: boolean } | undefined;
  return {
    counts(news) {
      if (newest !== undefined && news.slot < newest.slot) return news.isUp === newest.isUp;
      newest = news;
      return true;
    },
    isLate: (slot) => newest !== undefined && slot < newest.slot,
  };
}
