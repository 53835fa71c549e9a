/** Verifies fixtures against a server. */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { TargetFailure } from '../core/connection.js';
import type { Fixture } from '../gates/golden/fixture.js';
import { overall, reportFixture, type FixtureReport, type VerifyReport } from '../gates/golden/verify-report.js';
import { judgeAnswer, type Verdict } from '../gates/judge-answer.js';
import { withGoldenSession, type GoldenSession } from './golden-session.js';
import type { ProbeWorld } from '../targets/probe-target.js';

/** The fixtures of some names; all of them where none is named. */
export function chosen(fixtures: readonly Fixture[], names: readonly string[]): readonly Fixture[] {
  const missing = names.find((name) => !fixtures.some((fixture) => fixture.name === name));
  if (missing === undefined) return names.length === 0 ? fixtures : fixtures.filter(({ name }) => names.includes(name));
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `There is no fixture "${missing}".`,
    advice: `Those of the file: ${fixtures.map(({ name }) => name).join(', ')}.`,
  });
}

/** Calls every fixture once, in order, and judges it. */
export async function verifyFixtures(
  file: string,
  fixtures: readonly Fixture[],
  configured: ConfiguredTarget,
  world: ProbeWorld,
  onProgress: (share: number) => void,
): Promise<VerifyReport> {
  return withGoldenSession(configured, world, async (session) => {
    const reports: FixtureReport[] = [];
    for (const fixture of fixtures) {
      reports.push(await verifyFixture(fixture, session, world));
      onProgress(reports.length / fixtures.length);
    }
    return { target: configured.target.name, server: session.server, file, verdict: overall(reports), fixtures: reports };
  });
}

/** One call, judged. A call without an answer is a failure with the reason of the connection. */
export async function verifyFixture(fixture: Fixture, session: GoldenSession, { wallClockMs }: ProbeWorld): Promise<FixtureReport> {
  const refused = session.refusalOf(fixture);
  const isMissing = refused !== undefined && session.toolOf(fixture) === undefined;
  if (refused !== undefined) return reportFixture(fixture, [hard(isMissing ? 'tools_missing' : 'probe_config_error', refused)], undefined);
  try {
    const measurement = await session.measure(fixture);
    return reportFixture(fixture, judgeAnswer(measurement, session.toolOf(fixture), wallClockMs()), measurement.durationMs);
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    return reportFixture(fixture, [hard(error.reason, `no answer: ${error.message}`)], undefined);
  }
}

const hard = (reason: Verdict['reason'], says: string): Verdict => ({ reason, says, word: undefined, weight: 'hard' });
