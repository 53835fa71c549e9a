/** The monotonic clock of the host: the same in every process on it, and deaf to changes of the wall clock. */

/** Milliseconds since some moment before this host started anything of ours. */
export const hostMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
