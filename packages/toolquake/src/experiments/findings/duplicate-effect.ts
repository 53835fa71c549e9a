import { defineFinding } from '../finding.js';

/** Readings of this name count operations that took effect more than once. */
const READING = /^duplicate[-_ ]effects?$/;

/** Booked twice, paid twice, sent twice. */
export const duplicateEffect = defineFinding({
  name: 'duplicate-effect',
  summary: 'One operation took effect more than once, by the reading "duplicate-effects" of the file.',
  thresholds: { more: [1, 'Duplicates beyond those that were there before the fault.'] },
  find({ isInjected, faultOnMs, samples }, _experiment, { more }) {
    if (!isInjected || faultOnMs === undefined) return undefined;
    const counts = samples('reading').filter((one) => READING.test(one.name));
    const before = counts.filter((one) => one.atMs < faultOnMs).at(-1)?.value ?? 0;
    const most = Math.max(before, ...counts.filter((one) => one.atMs >= faultOnMs).map((one) => one.value));
    return most - before >= more ? `${most - before} operations took effect more than once from the fault on.` : undefined;
  },
});
