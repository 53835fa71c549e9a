/** Breaking a connection in the middle of a message. */
import { disconnect, pace, type Effect } from './effect.js';
import { frameBytes, type Frame } from './frame.js';
import type { FaultContext } from './fault.js';

/** A reset throws away what was not read yet, so the bytes get time to arrive. */
export const CUT_AFTER_MS = 20;

/** The first bytes of a message arrive, then the connection breaks. `keep` says how many of them, given how many there are. */
export function cutShort(
  frame: Frame,
  { how, keep, context }: { how: 'end' | 'reset'; keep: (length: number) => number; context: Pick<FaultContext, 'notDelivered'> },
): readonly Effect[] {
  if (frame.isOpaque) return context.notDelivered('too large');
  const { length } = frameBytes(frame);
  const sliceBytes = keep(length);
  if (sliceBytes < 1 || sliceBytes >= length) return context.notDelivered('there is nothing to cut off');
  // The second slice would come long after the cut.
  return [pace(frame, { sliceBytes, everyMs: 10 * CUT_AFTER_MS }), disconnect(how, 0, CUT_AFTER_MS)];
}
