/** Does the answer to a canary call look as it should? */
import type { JsonObject } from '@toolquake/sdk/core';
import type { Finding } from '../core/probe-report.js';
import type { CanaryMeasurement } from '../probes/canary-call.js';
import { judgeAnswer } from './judge-answer.js';

const WEIGHTS = ['hard', 'undecided', 'soft'] as const;

/** The worst thing that is wrong, or nothing. `tool` is its entry in the list; `wallClockMs` is now, since 1970. */
export function judgeCanary(measurement: CanaryMeasurement, tool: JsonObject | undefined, wallClockMs: number): Finding | undefined {
  const verdicts = judgeAnswer(measurement, tool, wallClockMs);
  const weight = WEIGHTS.find((one) => verdicts.some((verdict) => verdict.weight === one));
  const verdict = verdicts.find((one) => one.weight === weight);
  if (verdict === undefined) return undefined;
  const { reason, says, rpcCode, httpStatus } = verdict;
  const facts = rpcCode === undefined ? {} : { rpcCode, httpStatus };
  return { reason, step: 'call', detail: `${measurement.canary.name}: ${says}`, ...facts };
}
