import { defineMatcher } from '../matcher.js';

/** How long the call may take; a warning, never a failure of its own: one call is no measurement. */
export const latencyMs = defineMatcher({
  word: 'latencyMs',
  spelling: 'latency',
  field: {
    kind: 'time',
    max: 3_600_000,
    about: 'How long the call may take. A warning in "golden verify", slow_call in a probe: one call is no measurement.',
  },
  example: '500ms',
  isStable: () => false,
  judge: (given, { durationMs }) =>
    durationMs <= given
      ? []
      : [{ says: `the call took ${Math.round(durationMs)} ms, at most ${given} ms wanted`, reason: 'slow_call', weight: 'soft' }],
});
