/** Records fixtures: every call several times, so that what changes by itself is found. */
import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { readFixtures } from '../config/load-fixtures.js';
import { fixturesText } from '../config/fixture-text.js';
import { TargetFailure } from '../core/connection.js';
import type { Canary } from '../core/expectation.js';
import { answerOf } from '../gates/golden/answer.js';
import { knownSecrets, withoutSecrets } from '../gates/golden/known-secrets.js';
import { makeExpectation, type Recording } from '../gates/golden/make-expectation.js';
import { harmless } from '../gates/harmless.js';
import { redactValue } from '../recordings/redact.js';
import { withGoldenSession, type GoldenSession } from './golden-session.js';
import type { ProbeWorld } from '../targets/probe-target.js';

/** What to record. */
export type RecordOptions = {
  readonly calls: readonly Canary[];
  readonly runs: number;
  readonly expectsErrors: boolean;
  readonly owner: string | undefined;
  readonly onProgress: (share: number) => void;
};

/** A fixture as it is written, and which paths of its answer change. */
export type Recorded = { readonly fixture: JsonObject; readonly name: string; readonly volatile: readonly string[] };

/** All fixtures, or an error that says why one cannot be kept: then nothing is. */
export async function recordFixtures(
  configured: ConfiguredTarget,
  world: ProbeWorld,
  options: RecordOptions,
): Promise<readonly Recorded[]> {
  const { calls, runs, expectsErrors, owner, onProgress } = options;
  const secrets = knownSecrets(world.env);
  for (const call of calls) refuseSecrets(call, secrets);
  return withGoldenSession(configured, world, async (session) => {
    // Policy first: when one call is refused, none is made.
    for (const call of calls) refuseCall(call, session);
    const recorded: Recorded[] = [];
    for (const [index, call] of calls.entries()) {
      const made = await recordCall(call, session, world, runs, secrets);
      const refusal = 'refusal' in made ? made.refusal : refusalOfError(made.expect, expectsErrors);
      if ('refusal' in made || refusal !== undefined) {
        throw new ToolquakeError('BAD_ARGUMENT', {
          message: `${call.tool} cannot be recorded: ${harmless(String(refusal))}.`,
          advice: 'Choose arguments over fixed data, or write the fixture by hand with matchers (docs/golden.md).',
        });
      }
      const fixture = fixtureOf(
        call,
        made.expect,
        { server: session.server, at: new Date(world.wallClockMs()).toISOString(), runs },
        owner,
      );
      // What we write, we can read: a recording that would be refused later is refused now.
      readFixtures(fixturesText([fixture]), `the recording of ${call.tool}`);
      recorded.push({ fixture, name: call.name, volatile: made.volatile });
      onProgress((index + 1) / calls.length);
    }
    return recorded;
  });
}

/** Makes one call several times. Rejects with a `ToolquakeError` where there is no answer. */
export async function recordCall(
  call: Canary,
  session: GoldenSession,
  world: ProbeWorld,
  runs: number,
  secrets: readonly string[],
): Promise<Recording> {
  const answers = [];
  try {
    for (let run = 0; run < runs; run++)
      answers.push(answerOf(await session.measure({ ...call, expect: {} }), session.toolOf(call), world.wallClockMs()));
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    return { refusal: `it gave no answer (${error.message})` };
  }
  return makeExpectation(answers, secrets);
}

function refusalOfError(expect: JsonObject, expectsErrors: boolean): string | undefined {
  const isError = 'error' in expect;
  if (isError === expectsErrors) return undefined;
  const { error } = expect;
  return isError
    ? `it fails (${JSON.stringify(error)}); with --expect-error that is recorded`
    : 'it does not fail, and --expect-error was given';
}

function refuseCall(call: Canary, session: GoldenSession): void {
  const refusal = session.refusalOf(call);
  if (refusal === undefined) return;
  const isMissing = session.toolOf(call) === undefined;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${call.tool} is not recorded: ${refusal}.`,
    advice: isMissing ? 'Look at what it lists: toolquake lock TARGET' : 'If it may be called again and again, allow it: --allow-writes',
  });
}

function refuseSecrets(call: Canary, secrets: readonly string[]): void {
  const asked = { arguments: call.arguments, tool: call.tool };
  if (
    withoutSecrets(redactValue(asked), secrets) === asked ||
    JSON.stringify(withoutSecrets(redactValue(asked), secrets)) === JSON.stringify(asked)
  )
    return;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `The arguments of ${call.name} hold what looks like a secret, and fixtures stand in repositories.`,
    advice: 'Credentials belong to the target: "auth" and "headers" in toolquake.yaml refer to the environment.',
  });
}

function fixtureOf(
  { name, asks = 'tool', tool, arguments: given, mayWrite }: Canary,
  expect: JsonObject,
  recorded: JsonObject,
  owner: string | undefined,
): JsonObject {
  return {
    ...(name === tool ? {} : { name }),
    [asks]: tool,
    ...(Object.keys(given).length === 0 ? {} : { arguments: given }),
    ...(mayWrite ? { mayWrite } : {}),
    ...(owner === undefined ? {} : { owner }),
    expect,
    recorded,
  };
}
