/** A way to be sick. */
import type { FailureReason } from '../core/failure-reason.js';
import type { Running } from './mcp-script.js';

/** A sick server, and what a prober needs to know to meet its trouble. */
export type SickServer = Running & {
  /** A certificate that the prober has to trust to get as far as the trouble. */
  readonly authority?: string | undefined;
  /** Lines of toolquake.yaml under the target, beyond its url: expected tools, a canary, a health URL, credentials. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Variables that those settings refer to. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
};

/** How each starts. */
export type Ailments = Partial<Readonly<Record<FailureReason, () => Promise<SickServer>>>>;

/** A server over stdio: what the process does instead of serving. */
export type StdioAilments = Partial<Readonly<Record<FailureReason, () => Promise<void>>>>;
