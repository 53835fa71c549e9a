/** What a good answer looks like, as files say it: for canaries of toolquake.yaml and for fixture files alike. */
import type { JsonObject, PlanPath, ValueReader } from '@toolquake/sdk/core';
import type { Canary, Expectation } from '../core/expectation.js';
import type { SettingField, SettingFields } from '../core/setting-field.js';
import { EXPECTATION_FIELDS, MATCHERS } from '../gates/golden/catalogue.js';

/** The keys under `expect`. */
const EXPECT_FIELD: SettingField = {
  kind: 'group',
  fields: EXPECTATION_FIELDS,
  about: 'What a good answer looks like; without it, any answer that is no error and not empty.',
};

/** Keys of a call, wherever it is described. */
export const CALL_FIELDS: SettingFields = {
  arguments: { kind: 'map', item: { kind: 'value', about: 'An argument.' }, about: 'Its arguments.' },
  expect: EXPECT_FIELD,
  mayWrite: { kind: 'flag', about: 'Also call a tool that does not say that it only reads.' },
};

type Settings = Readonly<Record<string, unknown>>;

const MAX_PAGES = 10;

/** From what the table read to an expectation; problems that the table cannot see are reported. */
function expectationOf(given: Settings, path: PlanPath, reader: ValueReader): Expectation {
  // The table of fields read every value by its kind, so the words have the types that they say.
  const { newest, times, latency, pages, ...same } = given as Omit<Expectation, 'newest' | 'times' | 'pages'> & {
    readonly newest?: { readonly path: string; readonly within: number };
    readonly times?: Readonly<Record<string, { readonly past?: number; readonly future?: number }>>;
    readonly latency?: number;
    readonly pages?: Omit<NonNullable<Expectation['pages']>, 'max'> & { readonly max?: number };
  };
  const windows = Object.entries(times ?? {}).map(([at, { past = 0, future = 0 }]) => [at, { pastMs: past, futureMs: future }] as const);
  const expect: Expectation = {
    ...same,
    ...(newest === undefined ? {} : { newest: { path: newest.path, withinMs: newest.within } }),
    ...(times === undefined ? {} : { times: Object.fromEntries(windows) }),
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(pages === undefined ? {} : { pages: { max: MAX_PAGES, ...pages } }),
  };
  // A mistake in the kind of a value was reported already, and would only break what looks closer.
  for (const { word, spelling = word, check } of reader.problems.length > 0 ? [] : MATCHERS) {
    if (expect[word] !== undefined) check?.(expect[word] as never, [...path, spelling], reader);
  }
  return expect;
}

/** A call that a file describes. */
export function callOf(given: Settings, path: PlanPath, reader: ValueReader, tool: string): Canary {
  return {
    name: typeof given['name'] === 'string' ? given['name'] : tool,
    tool,
    arguments: (given['arguments'] ?? {}) as JsonObject,
    expect: expectationOf((given['expect'] ?? {}) as Settings, [...path, 'expect'], reader),
    mayWrite: given['mayWrite'] === true,
  };
}
