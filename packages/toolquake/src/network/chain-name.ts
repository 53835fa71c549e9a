/** The names of what is ours in a firewall: after the run, and told apart from everything else by one pattern. */
import { createHash, randomBytes } from 'node:crypto';

const PATTERN = /^TQ-[0-9a-f]{8}-[0-9a-f]{4}$/;

/** A name for one change of a run: `TQ-5f1c09aa-03be`. The second half is drawn, so that no two changes share a name. */
export const chainName = (runId: string): string =>
  `TQ-${createHash('sha256').update(runId).digest('hex').slice(0, 8)}-${randomBytes(2).toString('hex')}`;

/** A name out of undo data. Throws where it is none of ours. */
export function readChainName(value: unknown): string {
  if (typeof value === 'string' && PATTERN.test(value)) return value;
  throw new Error('The name in the undo data is none of ours: nothing is deleted by it.');
}
