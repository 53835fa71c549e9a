/** Records again what no longer holds, and shows what would change. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { readFixtures } from '../config/load-fixtures.js';
import { partText, withExpectations } from '../config/fixture-text.js';
import { parseText } from '../config/plan-text.js';
import type { Fixture } from '../gates/golden/fixture.js';
import { knownSecrets } from '../gates/golden/known-secrets.js';
import { lineDiff } from '../gates/golden/line-diff.js';
import { mergeExpectation } from '../gates/golden/merge-expectation.js';
import { harmless } from '../gates/harmless.js';
import { recordCall } from './golden-record.js';
import { withGoldenSession, type GoldenSession } from './golden-session.js';
import { verifyFixture } from './golden-verify.js';
import type { ProbeWorld } from '../targets/probe-target.js';

/** A fixture that does not hold: how its expectation would change, or why it cannot be changed by us. */
export type FixtureChange = { readonly name: string } & ({ readonly diff: readonly string[] } | { readonly refusal: string });

/** All changes, and the file with them. */
export type Update = { readonly changes: readonly FixtureChange[]; readonly text: string };

/** Reads nothing and writes nothing: `source` is the file, `text` what it would be. */
export async function updateFixtures(
  source: string,
  fixtures: readonly Fixture[],
  wanted: readonly Fixture[],
  configured: ConfiguredTarget,
  world: ProbeWorld,
  runs: number,
): Promise<Update> {
  return withGoldenSession(configured, world, async (session) => {
    const changes: FixtureChange[] = [];
    const written = new Map<number, JsonObject>();
    const file = parseText(source).value as { readonly fixtures: readonly { readonly expect: JsonObject }[] };
    for (const fixture of wanted) {
      const index = fixtures.indexOf(fixture);
      const before = file.fixtures[index]!.expect;
      const made = await changeOf(fixture, before, session, world, runs);
      if (made === undefined) continue;
      changes.push({ name: fixture.name, ...('refusal' in made ? made : { diff: lineDiff(partText(before), partText(made.expect)) }) });
      if ('expect' in made) written.set(index, made.expect);
    }
    const recorded = { server: session.server, at: new Date(world.wallClockMs()).toISOString(), runs };
    return { changes, text: written.size === 0 ? source : withExpectations(source, written, recorded) };
  });
}

/** Undefined when the fixture holds. */
async function changeOf(
  fixture: Fixture,
  before: JsonObject,
  session: GoldenSession,
  world: ProbeWorld,
  runs: number,
): Promise<{ readonly expect: JsonObject } | { readonly refusal: string } | undefined> {
  const report = await verifyFixture(fixture, session, world);
  if (report.outcome === 'passed') return undefined;
  const says = report.verdicts.map((verdict) => verdict.says).join('; ');
  if (session.refusalOf(fixture) !== undefined || report.outcome === 'undecided') return { refusal: says };
  const made = await recordCall(fixture, session, world, runs, knownSecrets(world.env));
  if ('refusal' in made) return { refusal: harmless(made.refusal) };
  const expect = mergeExpectation(before, made.expect);
  if (expect === undefined) return { refusal: says };
  // What people wrote is theirs to change: when it does not hold for the new answer, we do not decide.
  const [changed] = readFixtures(partText({ fixtures: [{ [fixture.asks]: fixture.tool, expect }] }), `the new ${fixture.name}`);
  const again = await verifyFixture({ ...fixture, expect: changed!.expect }, session, world);
  return again.outcome === 'passed' ? { expect } : { refusal: again.verdicts.map((verdict) => verdict.says).join('; ') };
}
