/** What can happen on a wire. Faults see nothing else. */
import type { Frame } from './frame.js';
import type { Exchange, Session } from './session.js';

/** One thing that happened, as handed to a fault's `decide`. */
export type TrafficEvent =
  /** A client opened a connection (HTTP, in process); nothing was said yet. */
  | { readonly kind: 'connect'; readonly session: Session }
  /** A request or notification that the rule fired on, or an answer to it. */
  | { readonly kind: 'frame'; readonly part: 'request' | 'answer'; readonly frame: Frame; readonly exchange: Exchange }
  /** The sender of the request gave up on it. */
  | { readonly kind: 'cancel'; readonly exchange: Exchange };
