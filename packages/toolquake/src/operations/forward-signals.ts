/** Hands the signals that we get on to the process that we stand in for. */

/** What a terminal sends to everybody who shares it when a key is pressed. */
export const TYPED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', ...TYPED_SIGNALS];

/** Calls `forward` for every signal from now on; the returned function undoes it. */
export function forwardSignals(forward: (name: NodeJS.Signals) => void): () => void {
  const undo = FORWARDED_SIGNALS.map((name) => {
    const listener = (): void => forward(name);
    process.on(name, listener);
    return () => process.off(name, listener);
  });
  return () => {
    for (const one of undo) one();
  };
}
