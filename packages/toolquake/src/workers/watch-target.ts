/** One round of the monitor: the protocol with its canaries, and the health URL beside it. */
import type { ConfiguredTarget } from '../config/configured-target.js';
import { TargetFailure } from '../core/connection.js';
import { judgeHealth } from '../gates/judge-probe.js';
import { mergeProbe, type HealthNews, type ProbeSample } from '../monitor/merge-probe.js';
import { checkHealth, probeTarget, type ProbeWorld } from '../targets/probe-target.js';
import { budgetsOf } from '../targets/target.js';

/** What was seen, or why nothing was. */
export type Watch = { readonly sample: ProbeSample | undefined; readonly detail: string };

/** Looks once. Resolves for every target, however sick; both looks begin at once, so that one that hangs hides nothing of the other. */
export async function watchTarget(configured: ConfiguredTarget, world: ProbeWorld): Promise<Watch> {
  const { target, plan } = configured;
  const [{ report }, health] = await Promise.all([
    probeTarget({ ...configured, plan: { ...plan, health: undefined } }, world),
    lookAtHealth(configured, world),
  ]);
  return { sample: mergeProbe(report, health, plan.canaries.length), detail: report.detail ?? target.name };
}

async function lookAtHealth({ target, plan }: ConfiguredTarget, world: ProbeWorld): Promise<HealthNews | undefined> {
  if (plan.health === undefined) return undefined;
  try {
    const measured = await checkHealth(plan.health, target, { ...world, budgets: budgetsOf(target) });
    return { status: measured.status, reason: measured.reason, isHealthy: judgeHealth(measured) === undefined };
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    return { isHealthy: false, failure: error.reason };
  }
}
