/** A script for one fault, and the words that scripts are written in. */
import { whyNotOn, type Fault, type JsonObject } from '@toolquake/sdk/core';
import { answersTo, firings, outcomes, STAGES, toolCall, type Stage, type StageName } from './stage.js';

/** A script. */
export type Scenario = {
  /** Row of the coverage table: a fault, or a shape or a way to use one. */
  readonly name: string;
  /** The fault of the rule, where the row has another name. */
  readonly fault: string;
  readonly rule: JsonObject;
  readonly seed?: number;
  /** The answers differ between transports by design, not only by accident of time. */
  readonly hasOwnAnswers?: true;
  /** Why the script cannot be played in the modern era, where the fault itself could act. */
  readonly notModern?: string;
  /** Why it cannot be shown on a stage although its transport can carry it: a sentence, for the coverage table. */
  readonly notOn?: { readonly [Name in StageName]?: string };
  /** Starts with a client that is not connected yet. */
  readonly startsAlone?: true;
  play(stage: Stage): Promise<void>;
};

/** Why a script is not played on a stage; undefined when it is. */
export const whyNotPlayed = ({ notOn }: Scenario, fault: Fault, name: StageName): string | undefined =>
  whyNotOn(fault, STAGES[name]) ?? (name === 'http-legacy-sse' ? whyNotOnLegacySse(fault) : undefined) ?? notOn?.[name];

const whyNotOnLegacySse = ({ eras, cannot }: Fault): string | undefined =>
  cannot['legacy-sse'] ?? (eras.includes('legacy') ? undefined : 'Legacy HTTP+SSE exists in the legacy era only.');

/** The result of the client's first answer to a request. */
export const resultOf = (stage: Stage, id: number): JsonObject => answersTo(stage, id)[0]?.['result'] as JsonObject;
/** The structured part of that result. */
export const dataOf = (stage: Stage, id: number): JsonObject => resultOf(stage, id)['structuredContent'] as JsonObject;
/** The error of the client's first answer. */
export const errorOf = (stage: Stage, id: number): JsonObject => answersTo(stage, id)[0]?.['error'] as JsonObject;
/** The names in a list of tools that the client saw. */
export const toolsListed = (stage: Stage, id: number): readonly string[] =>
  (resultOf(stage, id)['tools'] as JsonObject[]).map((tool) => String(tool['name']));

/** Calls a tool and waits for what the client gets to see of it. */
export async function callTool(stage: Stage, id: number, name: string): Promise<void> {
  stage.send(toolCall(id, name));
  await answered(stage, id);
}

/** Waits for an answer, or for a status in its place. */
export const answered = (stage: Stage, id: number): Promise<void> =>
  stage.until(
    `an outcome of ${id}`,
    () => answersTo(stage, id).length > 0 || stage.seen.some((one) => one.what === 'http' && one.id === id),
  );

/** Comes back as often as it takes. */
export async function comeBack(stage: Stage): Promise<void> {
  let isConnected = false;
  while (!isConnected) isConnected = await stage.hello();
}

/** Waits for entries about faults in the journal. */
export const fired = (stage: Stage, times: number): Promise<void> => stage.until(`${times} firings`, () => firings(stage).length >= times);

/** The journal of a proxy is written a little after the client got its answer. */
export const reported = (stage: Stage, expected: readonly string[]): Promise<void> =>
  stage.until(`outcomes ${expected}`, () => JSON.stringify(outcomes(stage.journal())) === JSON.stringify(expected));

/** For rules that fire on the first match only. */
export const ONCE = { at: { first: 1 } };
