import { defineFinding } from '../finding.js';

/** An alert in the quiet phase, while every probe found the target up. */
export const falsePositive = defineFinding({
  name: 'false-positive',
  summary: 'An alert came before the fault, while nothing was wrong.',
  thresholds: {},
  find({ beforeMs, faultOnMs, endMs, alerts, samples }) {
    if (beforeMs === undefined) return undefined;
    const untilMs = faultOnMs ?? endMs;
    const alert = alerts.find((one) => one.state === 'firing' && one.atMs >= beforeMs && one.atMs < untilMs);
    if (alert === undefined) return undefined;
    const wasFine = samples('probe', Number.NEGATIVE_INFINITY, alert.atMs + 1).every((probe) => probe.isUp);
    return wasFine ? `The alert "${alert.reason}" came while all was well, before anything was injected.` : undefined;
  },
});
