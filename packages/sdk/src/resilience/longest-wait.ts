/** Longer than this is taken for this: a server that asks for a thousand years must not overflow a timer, nor close a route for good. */
export const MAX_WAIT_MS: number = 24 * 60 * 60_000;
