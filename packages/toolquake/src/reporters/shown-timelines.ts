/** Which timelines are worth the room: where there are many points, all variants at the one that went worst. */
import { pointText } from './digest/comparison.js';
import type { Digest, TimelineRecord } from './journal-digest.js';

const MAX_SHOWN = 4;

/** At most a handful, in the order of the journal. */
export function shownTimelines({ timelines }: Pick<Digest, 'timelines'>): readonly TimelineRecord[] {
  const told = timelines.filter(({ points, disturbances, moments }) => points.length > 1 || disturbances.length + moments.length > 0);
  if (told.length <= MAX_SHOWN) return told;
  const worst = told.reduce((one, other) => (damageOf(other) > damageOf(one) ? other : one));
  const point = pointText(worst.point ?? {});
  return told.filter((one) => pointText(one.point ?? {}) === point).slice(0, MAX_SHOWN);
}

function damageOf({ points }: TimelineRecord): number {
  return points.reduce((sum, { failedShare }) => sum + (failedShare ?? 0), 0) / Math.max(1, points.length);
}
