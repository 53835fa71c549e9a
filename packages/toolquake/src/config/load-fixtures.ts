/** From a fixture file to fixtures. Errors carry file, line, column and the nearest good word. */
import { isObject, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { Canary } from '../core/expectation.js';
import { isStable } from '../gates/golden/catalogue.js';
import type { Fixture } from '../gates/golden/fixture.js';
import { callOf } from './expectation.js';
import { readSettings, settingReader } from './field.js';
import { FIXTURE_FIELDS } from './fixture-fields.js';
import { importSeedFixtures, isSeedFile } from './import-seed-fixtures.js';
import { locateAll, planError } from './load-plan.js';
import { readPlanFile } from './plan-file.js';
import { parseText } from './plan-text.js';

/** The fixtures of a file. `shown` stands in messages. */
export async function loadFixtures(shown: string, path: string = shown): Promise<readonly Fixture[]> {
  return readFixtures(await readPlanFile(path), shown);
}

/** The same from a text. */
export function readFixtures(source: string, shown: string): readonly Fixture[] {
  const text = parseText(source);
  if (text.problems.length > 0) throw planError(shown, text.problems);
  const reader = settingReader();
  const { value, isSeed } = isSeedFile(text.value)
    ? { value: importSeedFixtures(reader, text.value), isSeed: true }
    : { value: text.value, isSeed: false };
  const fixtures = reader.problems.length > 0 ? [] : fixturesIn(reader, value);
  if (reader.problems.length === 0) return fixtures;
  // A translated file has other paths than its source, so only the fixture is pointed at.
  const located = reader.problems.map((one) => ({
    ...one,
    path: isSeed && one.path[0] === 'fixtures' ? one.path.slice(1, 2) : one.path,
    message: one.message.replace(/^the plan /, 'The file '),
  }));
  throw planError(shown, locateAll(text, located));
}

type Settings = Readonly<Record<string, unknown>>;

function fixturesIn(reader: ValueReader, value: unknown): readonly Fixture[] {
  const { fixtures } = readSettings(reader, value, [], FIXTURE_FIELDS);
  if (reader.problems.length > 0) return [];
  const found = (fixtures as readonly Settings[]).map((given, index) => fixtureOf(reader, given, ['fixtures', index]));
  if (found.length === 0) reader.report(['fixtures'], 'MISSING_KEY', 'The file has no fixtures.', 'Record one: toolquake golden record.');
  const names = new Set<string>();
  for (const [index, { name }] of found.entries()) {
    if (names.has(name))
      reader.report(['fixtures', index, 'name'], 'DUPLICATE_ID', `Two fixtures are called "${name}".`, 'Give one of them a "name".');
    names.add(name);
  }
  return found;
}

const KINDS = ['tool', 'prompt', 'resource'] as const;

function fixtureOf(reader: ValueReader, given: Settings, path: PlanPath): Fixture {
  const kinds = KINDS.filter((kind) => given[kind] !== undefined);
  const asks = kinds[0] ?? 'tool';
  if (kinds.length !== 1)
    reader.report(path, 'MISSING_KEY', `A fixture needs one of "tool", "prompt" and "resource", and here are ${kinds.length}.`);
  const call: Canary = { ...callOf(given, path, reader, String(given[asks])), asks };
  if (kinds.length === 1 && !isStable(call.expect)) {
    reader.report(
      path,
      'MISSING_KEY',
      `The fixture "${call.name}" has no stable assertion: a wrong answer would pass.`,
      'Say something about the answer itself: data, exact, contains, matches, least, ... (docs/golden.md).',
    );
  }
  if (asks !== 'tool' && call.expect.pages !== undefined)
    reader.report([...path, 'expect', 'pages'], 'UNKNOWN_KEY', 'Only tools hand out pages.');
  if (asks === 'resource' && Object.keys(call.arguments).length > 0)
    reader.report([...path, 'arguments'], 'UNKNOWN_KEY', 'A resource takes no arguments.');
  const recorded = isObject(given['recorded']) ? given['recorded'] : {};
  return {
    ...call,
    asks,
    owner: typeof given['owner'] === 'string' ? given['owner'] : undefined,
    recordedFrom: typeof recorded['server'] === 'string' ? recorded['server'] : undefined,
  };
}
