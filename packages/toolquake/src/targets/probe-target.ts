/** Probes one target: dial, hello, list, canaries, health. Measures with probes, judges with gates. */
import { createHash } from 'node:crypto';
import { isObject, nameOfTool, type Clock, type JsonObject } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { TargetFailure, within, type Connection, type Stage, type StageTiming } from '../core/connection.js';
import type { Canary, HealthCheck } from '../core/expectation.js';
import type { FailureReason } from '../core/failure-reason.js';
import type { Finding, ProbeReport, TargetFacts } from '../core/probe-report.js';
import { judgeCanary } from '../gates/judge-canary.js';
import { judgeEndings, judgeHealth, judgeProbe, judgeSlowness } from '../gates/judge-probe.js';
import { judgeTools } from '../gates/judge-tools.js';
import { measureCanary } from '../probes/canary-call.js';
import { measureHealth, type HealthMeasurement } from '../probes/health-url.js';
import { measureToolList } from '../probes/tool-list.js';
import { authoritiesOf } from './authorities.js';
import type { Resolve } from './dial.js';
import { getPage } from './get-page.js';
import { openConnection } from './open-connection.js';
import { budgetsOf, type Budgets, type TargetDefinition } from './target.js';

/** What a probe needs of the world. */
export type ProbeWorld = {
  readonly clock: Clock;
  readonly wallClockMs: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  readonly resolve?: Resolve | undefined;
  /** Something else on the network: when it cannot be reached either, the fault is on our side. */
  readonly controlUrl?: string | undefined;
};

/** A report, and what the next round compares with. */
export type ProbeRound = { readonly report: ProbeReport; readonly manifestHash: string | undefined };

/** Resolves for every target, however sick. Rejects only for the reason of the signal. */
export async function probeTarget(configured: ConfiguredTarget, world: ProbeWorld): Promise<ProbeRound> {
  const { target, plan } = configured;
  const { clock, wallClockMs } = world;
  const budgets = budgetsOf(target);
  const startedAt = new Date(wallClockMs()).toISOString();
  const startMs = clock.nowMs();
  const findings: Finding[] = [];
  let stages: readonly StageTiming[] = [];
  const later: StageTiming[] = [];
  let step: Stage = 'hello';
  let opening: Promise<Connection> | undefined;
  let connection: Connection | undefined;
  let tools: readonly JsonObject[] | undefined;
  const late = (): TargetFailure =>
    new TargetFailure({
      reason: LATE[step] ?? 'initialize_timeout',
      step,
      detail: `the whole probe took longer than ${budgets.totalMs} ms`,
    });
  try {
    await within({ clock, limitMs: budgets.totalMs, signal: world.signal }, late, async (signal) => {
      opening = openConnection(target, { ...world, signal, budgets, onStages: (timings) => (stages = timings) });
      const open = await opening;
      if (signal.aborted) return open.close();
      connection = open;
      findings.push(...judgeEndings(open, wallClockMs()));
      step = 'list';
      tools = offersTools(open) ? (await measureToolList(open)).tools : [];
      findings.push(...judgeTools(tools, [...new Set([...plan.tools, ...plan.canaries.filter(isOfTool).map((canary) => canary.tool)])]));
      step = 'call';
      for (const canary of plan.canaries.filter((one) => tools!.length > 0 || !isOfTool(one))) {
        const finding = await callCanary(open, canary, tools, world);
        if (finding !== undefined) findings.push(finding);
      }
      step = 'health';
      if (plan.health !== undefined) {
        const atMs = clock.nowMs();
        try {
          const finding = judgeHealth(await checkHealth(plan.health, target, { ...world, signal, budgets }));
          if (finding !== undefined) findings.push(finding);
        } finally {
          later.push({ stage: step, startMs: atMs - startMs, durationMs: clock.nowMs() - atMs });
        }
      }
    });
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    findings.push(await blame(error, world, budgets));
  } finally {
    // Given up in the middle: a process that was started is ended before anybody hears of it.
    if (target.kind === 'command') await opening?.then((open) => open.close()).catch(() => {});
    else await connection?.close();
  }
  const { notes = [] } = connection ?? {};
  // Copied: what a server still says while it is closed changes no report.
  stages = [...stages, ...later];
  const all = [...findings, ...notes, ...judgeSlowness(stages, plan.slowMs)];
  const facts = connection === undefined ? undefined : factsOf(connection, tools);
  const report = judgeProbe({ target: target.name, startedAt, totalMs: clock.nowMs() - startMs, stages, facts, findings: all });
  return { report, manifestHash: tools === undefined ? undefined : hashOf(tools) };
}

const LATE: Partial<Record<Stage, FailureReason>> = { list: 'tools_list_timeout', call: 'canary_timeout', health: 'health_check_failed' };

const offersTools = ({ capabilities }: Connection): boolean => isObject(capabilities['tools']);

const isOfTool = ({ asks }: Canary): boolean => (asks ?? 'tool') === 'tool';

/** Over connections of its own, with the trust of the target, but never with its credentials: the URL may be anybody's. */
export async function checkHealth(
  check: HealthCheck,
  target: TargetDefinition,
  { clock, signal, budgets, resolve }: ProbeWorld & { readonly budgets: Budgets },
): Promise<HealthMeasurement> {
  const publicOnly = target.kind === 'url' && target.publicOnly === true;
  const authorities = await authoritiesOf(target);
  return measureHealth(check, (url) => getPage(url, { step: 'health', budgets, clock, signal, publicOnly, resolve, authorities }));
}

/** Calls a canary and judges the answer, unless the tool may write and nobody allowed that. */
export async function callCanary(
  connection: Connection,
  canary: Canary,
  tools: readonly JsonObject[],
  { clock, wallClockMs }: Pick<ProbeWorld, 'clock' | 'wallClockMs'>,
): Promise<Finding | undefined> {
  if (!isOfTool(canary)) return judgeCanary(await measureCanary(connection, canary, clock), undefined, wallClockMs());
  const tool = tools.find((one) => nameOfTool(one) === canary.tool);
  if (tool === undefined) return undefined;
  const { annotations } = tool;
  if (!canary.mayWrite && !(isObject(annotations) && annotations['readOnlyHint'] === true)) {
    const detail = `${canary.name}: ${canary.tool} does not say that it only reads (readOnlyHint); allow it with "mayWrite: true"`;
    return { reason: 'probe_config_error', step: 'call', detail };
  }
  return judgeCanary(await measureCanary(connection, canary, clock), tool, wallClockMs());
}

/** Whose fault is it? A network that reaches nobody is ours. */
async function blame(
  failure: TargetFailure,
  { controlUrl, clock, resolve }: ProbeWorld,
  budgets: ReturnType<typeof budgetsOf>,
): Promise<Finding> {
  const { cause: _, ...facts } = failure.facts;
  const isOfNetwork = /^(dns_|connection_|connect_|host_)/.test(facts.reason);
  if (controlUrl === undefined || !isOfNetwork) return facts;
  try {
    await getPage(controlUrl, { step: 'health', budgets, clock, resolve });
    return facts;
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    return {
      ...facts,
      reason: 'probe_offline',
      detail: `${facts.detail}; the control endpoint cannot be reached either (${error.reason})`,
    };
  }
}

function factsOf({ era, protocolVersion, transport, serverInfo }: Connection, tools: readonly JsonObject[] | undefined): TargetFacts {
  const words = [serverInfo['name'], serverInfo['version']].filter((word) => typeof word === 'string');
  return { era, protocolVersion, transport, server: words.join(' ').slice(0, 100), tools: tools?.length };
}

/** The same for the same tools in any order. */
function hashOf(tools: readonly JsonObject[]): string {
  const texts = tools.map((tool) => JSON.stringify(tool)).sort();
  return createHash('sha256').update(texts.join('\n')).digest('hex');
}
