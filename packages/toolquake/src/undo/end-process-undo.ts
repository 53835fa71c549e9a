/** How the undo of a child of the run is written down. */
import type { UndoStep } from '../core/undo-step.js';
import { ownOwner } from './owner.js';
import { identify } from './process-identity.js';

/** The undo for a child, to be intended before the child is told to begin. It is asked to end, and killed after `graceMs`. */
export function endProcessUndo(pid: number, graceMs = 1000): UndoStep {
  const self = ownOwner();
  // Dead already: there is nothing to undo, and nobody with its number later is meant.
  const identity = identify(pid) ?? { pid, startTicks: 0, bootId: self.bootId };
  return { kind: 'end-process', data: { ...self, ...identity, graceMs } };
}
