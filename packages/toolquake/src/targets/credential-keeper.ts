/** A credential that is good when a request needs it: fetched again shortly before it ends, or once it is refused. */
import type { Credential } from './credential.js';

/** The credential of one connection. */
export type CredentialKeeper = {
  /** The one that goes out now. */
  readonly current: Credential;
  /** True when another can be fetched: then its end is no news to anybody. */
  readonly isRenewable: boolean;
  /** Before a request: fetches another when this one is about to end. Rejects when it has ended and none is given. */
  ready(): Promise<void>;
  /** After a refusal: false when there is no other than the one that was refused. */
  renew(refused: Credential): Promise<boolean>;
};

/** A token that ends while its request is on the way is refused; short-lived ones have little to give away. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 0.1;

/** Keeps `first`; `fetchAnother` is missing where a secret is all there is. */
export function keepCredential(first: Credential, wallClockMs: () => number, fetchAnother?: () => Promise<Credential>): CredentialKeeper {
  let current = first;
  let renewAtMs = renewalOf(first);
  let fetching: Promise<Credential> | undefined;

  function renewalOf({ endsAtMs }: Credential): number {
    if (endsAtMs === undefined) return Number.POSITIVE_INFINITY;
    return endsAtMs - Math.min(MARGIN_MS, Math.max(0, endsAtMs - wallClockMs()) * MARGIN_SHARE);
  }
  const exchange = async (another: () => Promise<Credential>): Promise<void> => {
    // Requests side by side wait for the same token.
    fetching ??= another().finally(() => (fetching = undefined));
    current = await fetching;
    renewAtMs = renewalOf(current);
  };

  return {
    get current() {
      return current;
    },
    isRenewable: fetchAnother !== undefined,
    async ready() {
      if (fetchAnother === undefined || wallClockMs() < renewAtMs) return;
      try {
        await exchange(fetchAnother);
      } catch (error) {
        // Early on purpose: what still holds is used to its end.
        if (current.endsAtMs === undefined || current.endsAtMs <= wallClockMs()) throw error;
      }
    },
    async renew(refused) {
      if (fetchAnother === undefined) return false;
      if (current === refused) await exchange(fetchAnother);
      return true;
    },
  };
}
