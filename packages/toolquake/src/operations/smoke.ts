/** Smoke-tests one deployment: waits until it is ready, then dial, hello, manifest, calls, and those without a credential. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, type Connection } from '../core/connection.js';
import type { Finding } from '../core/probe-report.js';
import { judgeTools } from '../gates/judge-tools.js';
import { lockText } from '../gates/manifest/lock-text.js';
import { judgeHellos } from '../gates/smoke/judge-hellos.js';
import { judgeManifest } from '../gates/smoke/judge-manifest.js';
import { judgeSmoke } from '../gates/smoke/judge-smoke.js';
import { outcomeOf, passed, skipped } from '../gates/smoke/outcome.js';
import type { MeasuredStep, SmokeReport, SmokeServer } from '../gates/smoke/smoke-report.js';
import { openConnection } from '../targets/open-connection.js';
import type { TargetDefinition } from '../targets/target.js';
import { checkAuth } from './smoke-auth.js';
import type { SmokePlan, SmokeWorld } from './smoke-plan.js';
import { openWhenReady, type OpenAttempt } from './smoke-ready.js';
import { createStepRunner, type StepRunner } from './smoke-steps.js';
import { judgeManifests } from './judge-manifests.js';
import type { ManifestSide } from './manifest-side.js';
import { callCanary } from '../targets/probe-target.js';
import { takeManifest } from './take-manifest.js';

/** Resolves for every server, however sick. Rejects only for the reason of the signal; then nothing is left running. */
export async function smoke(plan: SmokePlan, world: SmokeWorld): Promise<SmokeReport> {
  const { clock } = world;
  const target = bounded(plan);
  const startedAt = new Date(world.wallClockMs()).toISOString();
  const attempt = await openWhenReady(target, plan.waitMs, world);
  const runner = createStepRunner({ clock, signal: world.signal, budgets: plan.budgets, startMs: attempt.startMs });
  const { connection } = attempt;
  try {
    runner.add(...stepsOfDial(attempt));
    if (connection !== undefined) await pass(plan, target, connection, attempt, runner, world);
  } finally {
    await connection?.close();
  }
  return judgeSmoke({
    target: target.name,
    startedAt,
    server: connection === undefined ? null : serverOf(connection),
    ready: attempt.wait,
    totalMs: clock.nowMs() - attempt.startMs,
    budgets: plan.budgets,
    steps: runner.steps,
  });
}

/** The budgets of the steps bound every stage in them. */
function bounded({ configured: { target }, budgets }: SmokePlan): TargetDefinition {
  const { dial, hello, manifest, calls } = budgets;
  return {
    ...target,
    budgets: { ...target.budgets, resolveMs: dial, tcpMs: dial, tlsMs: dial, helloMs: hello, listMs: manifest, callMs: calls },
  };
}

async function pass(
  plan: SmokePlan,
  target: TargetDefinition,
  connection: Connection,
  attempt: OpenAttempt,
  runner: StepRunner,
  world: SmokeWorld,
): Promise<void> {
  // Finding the era is done once; every further connection is told.
  const known: TargetDefinition = { ...target, era: connection.era };
  let tools: readonly JsonObject[] | undefined;
  await runner.run('hello', attempt.helloMs, async (signal) => {
    const others = await moreHellos(known, plan.hellos - 1, { ...world, signal });
    return judgeHellos({ hellos: [serverOf(connection), ...others], expectedVersion: plan.expectedVersion });
  });
  await runner.run('manifest', 0, async (signal) => {
    const listed = isObject(connection.capabilities['tools']) ? (await connection.listAll('tools', { signal })).items : [];
    tools = listed;
    const { plan: expected } = plan.configured;
    const findings = judgeTools(listed, [...new Set([...expected.tools, ...expected.canaries.map(({ tool }) => tool)])]);
    const { lock } = plan;
    const ofList = outcomeOf(findings, `${listed.length} tools; no lock to compare with`);
    if (lock === undefined || ofList.state !== 'passed') return ofList;
    // A modern server is asked in the older era, too: its lock says what it shows there.
    const asked = connection.era === 'legacy' ? known : target;
    const manifest = await takeManifest(asked, { ...world, signal });
    const after: ManifestSide = { name: target.name, manifest, text: lockText(manifest) };
    const today = new Date(world.wallClockMs()).toISOString().slice(0, 10);
    const diff = judgeManifests({ before: lock, after, waivers: plan.waivers, isStrict: plan.isStrict, today });
    return judgeManifest(diff, listed.length);
  });
  await runner.run('calls', 0, (signal) => callAll(plan, connection, tools, { ...world, signal }));
  await runner.run('auth', 0, (signal) => checkAuth(plan, known, { ...world, signal }));
}

const CALLS_WITHOUT = 'no call is named: give --call TOOL, or canaries in toolquake.yaml';

async function callAll(
  { configured, allowWrites }: SmokePlan,
  connection: Connection,
  tools: readonly JsonObject[] | undefined,
  world: SmokeWorld,
): ReturnType<Parameters<StepRunner['run']>[2]> {
  const { canaries } = configured.plan;
  if (canaries.length === 0) return skipped(CALLS_WITHOUT);
  if (tools === undefined) return skipped('the tools could not be listed');
  const stop = (): void => void connection.close();
  // Nobody uses the connection afterwards: closing it ends a call that is not waited for any more.
  world.signal?.addEventListener('abort', stop, { once: true });
  const findings: Finding[] = [];
  for (const canary of canaries) {
    world.signal?.throwIfAborted();
    const isListed = tools.some(({ name }) => name === canary.tool);
    const finding = isListed
      ? await callCanary(connection, allowWrites ? { ...canary, mayWrite: true } : canary, tools, world)
      : ({ reason: 'tools_missing', step: 'call', detail: `${canary.name}: ${canary.tool} is not listed` } as const);
    if (finding !== undefined) findings.push(finding);
  }
  world.signal?.removeEventListener('abort', stop);
  return outcomeOf(findings, `${canaries.map(({ name }) => name).join(', ')} answered as expected`);
}

/** At the same time, each over a connection of its own, so that a balancer sends them to several replicas. */
async function moreHellos(target: TargetDefinition, count: number, world: SmokeWorld): Promise<readonly SmokeServer[]> {
  const asked = Array.from({ length: Math.max(0, count) }, async (_, index): Promise<SmokeServer> => {
    try {
      const connection = await openConnection(target, world);
      await connection.close();
      return serverOf(connection);
    } catch (error) {
      if (!(error instanceof TargetFailure)) throw error;
      throw new TargetFailure({ ...error.facts, detail: `hello ${index + 2} of ${count + 1}: ${error.facts.detail}` });
    }
  });
  const all = await Promise.allSettled(asked);
  return all.map((one) => {
    if (one.status === 'fulfilled') return one.value;
    throw one.reason;
  });
}

function serverOf({ serverInfo, era, transport, protocolVersion }: Connection): SmokeServer {
  const word = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '(unnamed)');
  return { name: word(serverInfo['name']), version: word(serverInfo['version']), era: `${era} ${protocolVersion}`, transport };
}

/** A failed dial leaves the hello out; a failed hello was dialled all the same. */
function stepsOfDial({ connection, failure, dialMs, helloMs, dialText }: OpenAttempt): readonly MeasuredStep[] {
  const dialled: MeasuredStep = { ...passed(dialText), step: 'dial', durationMs: dialMs };
  if (connection !== undefined || failure === undefined) return [dialled];
  return failure.isOfDial
    ? [{ ...failure.outcome, step: 'dial', durationMs: dialMs + helloMs }]
    : [dialled, { ...failure.outcome, step: 'hello', durationMs: helloMs }];
}
