/** What can be disrupted: any name. */
export type FaultTarget = string;

/** A text that can be a target. */
export function isFaultTarget(value: unknown): value is FaultTarget {
  return typeof value === 'string' && value.length > 0;
}
