/** From toolquake.yaml to checked targets. Errors carry file, line, column and the nearest good word. */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ToolquakeError, type ValueReader } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from './configured-target.js';
import { readSettings, settingReader } from './field.js';
import { importTargets } from './import-targets.js';
import { locateAll, planError } from './load-plan.js';
import { readPlanFile } from './plan-file.js';
import { parseText } from './plan-text.js';
import { PROJECT_FIELDS } from './project-fields.js';
import { readTarget } from './read-target.js';

/** A project file; `path` is for messages. */
export type Project = { readonly path: string; readonly targets: readonly ConfiguredTarget[] };

/** The file that is read when nobody names one. */
const PROJECT_FILE = 'toolquake.yaml';

/** The project in a folder: none where there is no file and none was asked for. */
export async function findProject(folder: string, named: string | undefined): Promise<Project | undefined> {
  const path = named ?? join(folder, PROJECT_FILE);
  if (named === undefined && statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return loadProject(named ?? PROJECT_FILE, path);
}

/** Reads a project; every path in it starts at its own folder. `shown` stands in messages. */
export async function loadProject(shown: string, path: string = shown): Promise<Project> {
  const source = await readPlanFile(path);
  const text = parseText(source);
  if (text.problems.length > 0) throw planError(shown, text.problems);
  const reader = settingReader();
  const settings = readSettings(reader, text.value, [], PROJECT_FIELDS);
  const folder = dirname(resolve(path));
  const own: ConfiguredTarget[] = [];
  for (const [index, given] of (reader.problems.length === 0 ? listOf(settings['targets']) : []).entries())
    own.push(await readTarget(reader, given, ['targets', index], { folder, budgets: settings['budgets'] }));
  checkNames(reader, own);
  if (reader.problems.length > 0) {
    throw planError(
      shown,
      locateAll(
        text,
        reader.problems.map((one) => ({ ...one, message: one.message.replace(/^the plan /, 'The file ') })),
      ),
    );
  }
  const imported: ConfiguredTarget[] = [];
  for (const file of textsOf(settings['import'])) imported.push(...(await importTargets(resolve(folder, file), file)));
  const names = new Set(own.map(({ target }) => target.name));
  // What this file says itself wins.
  return { path: shown, targets: [...own, ...imported.filter(({ target }) => !names.has(target.name))] };
}

/** The target of a name, or an error that says which there are. */
export function unknownTarget(name: string, project: Project | undefined, advice: string): ToolquakeError {
  const where = project === undefined ? `there is no ${PROJECT_FILE} here` : `${project.path} describes no such target`;
  return new ToolquakeError('BAD_ARGUMENT', { message: `"${name}" is no URL, and ${where}.`, advice });
}

type Settings = Readonly<Record<string, unknown>>;
// What readSettings read by the table of its own name; the table says which kinds of values there are.
const listOf = (value: unknown): readonly Settings[] => (value ?? []) as readonly Settings[];
const textsOf = (value: unknown): readonly string[] => (value ?? []) as readonly string[];

function checkNames(reader: ValueReader, targets: readonly ConfiguredTarget[]): void {
  const seen = new Set<string>();
  targets.forEach(({ target: { name } }, index) => {
    if (seen.has(name))
      reader.report(['targets', index, 'name'], 'DUPLICATE_ID', `Two targets are called "${name}".`, 'Rename one of them.');
    seen.add(name);
  });
}
