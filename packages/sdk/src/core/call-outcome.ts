/** What the caller saw of one call. */
export type CallOutcome = 'ok' | 'tool-error' | 'rpc-error' | 'http-error' | 'disconnected' | 'no-answer' | 'cancelled';
