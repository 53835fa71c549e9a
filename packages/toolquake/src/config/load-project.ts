/** From toolquake.yaml to checked targets. Errors carry file, line, column and the nearest good word. */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ToolquakeError, type JsonObject, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { Stage } from '../core/connection.js';
import type { Canary, Expectation, ProbePlan } from '../core/expectation.js';
import type { Budgets, TargetAuth, TargetDefinition } from '../targets/target.js';
import type { ConfiguredTarget } from './configured-target.js';
import { readSettings, settingReader } from './field.js';
import { importTargets } from './import-targets.js';
import { locateAll, planError } from './load-plan.js';
import { readPlanFile } from './plan-file.js';
import { parseText } from './plan-text.js';
import { PROJECT_FIELDS } from './project-fields.js';

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
  const own =
    reader.problems.length === 0 ? listOf(settings['targets']).map((given, index) => targetOf(reader, given, index, settings, folder)) : [];
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
const textOf = (value: unknown): string | undefined => value as string | undefined;
const mapOf = <Value>(value: unknown): Readonly<Record<string, Value>> => (value ?? {}) as Readonly<Record<string, Value>>;

function targetOf(reader: ValueReader, given: Settings, index: number, whole: Settings, folder: string): ConfiguredTarget {
  const path: PlanPath = ['targets', index];
  const { url, command } = given;
  const name = String(given['name']);
  if ((url === undefined) === (command === undefined)) {
    const message = `targets[${index}] needs either "url" or "command"${url === undefined ? '' : ', not both'}.`;
    reader.report(path, 'MISSING_KEY', message, 'For example: url: https://shop.example/mcp, or command: [node, server.js].');
  }
  const misplaced = url === undefined ? ['headers', 'auth', 'caFile', 'publicOnly'] : ['env', 'cwd'];
  for (const key of misplaced.filter((one) => one in given)) {
    reader.report(
      [...path, key],
      'UNKNOWN_KEY',
      `targets[${index}].${key} is for targets with a ${url === undefined ? 'URL' : 'command'}.`,
    );
  }
  const common = {
    name,
    era: given['era'] as TargetDefinition['era'],
    budgets: { ...budgetsIn(whole['budgets']), ...budgetsIn(given['budgets']) },
  };
  const fromHere = (file: unknown): string | undefined => (typeof file === 'string' ? resolve(folder, file) : undefined);
  const target: TargetDefinition =
    url === undefined
      ? { ...common, kind: 'command', command: textsOf(command), env: mapOf<string>(given['env']), cwd: fromHere(given['cwd'] ?? '.') }
      : {
          ...common,
          kind: 'url',
          url: textOf(url) ?? '',
          headers: mapOf<string>(given['headers']),
          auth: authOf(reader, given['auth'], [...path, 'auth']),
          caFile: fromHere(given['caFile']),
          publicOnly: given['publicOnly'] === true,
        };
  return { target, plan: probePlanOf(given), manifest: fromHere(given['manifest']), labels: mapOf<string>(given['labels']) };
}

/** `hello: 5s` is `helloMs: 5000`. */
function budgetsIn(given: unknown): Partial<Budgets> {
  return Object.fromEntries(
    Object.entries(mapOf<number>(given)).map(([name, value]) => [name.startsWith('max') ? name : `${name}Ms`, value]),
  );
}

function probePlanOf(given: Settings): ProbePlan {
  const health = given['health'] as Settings | undefined;
  return {
    tools: textsOf(given['tools']),
    canaries: listOf(given['canaries']).map(canaryOf),
    health:
      health === undefined
        ? undefined
        : {
            url: String(health['url']),
            expectStatus: (health['expectStatus'] as number | undefined) ?? 200,
            reasonField: textOf(health['reasonField']) ?? 'reason',
          },
    slowMs: mapOf<number>(given['slow']) as Partial<Record<Stage, number>>,
  };
}

function canaryOf(given: Settings): Canary {
  const expect = mapOf<unknown>(given['expect']);
  const newest = expect['newest'] as { readonly path: string; readonly within: number } | undefined;
  const tool = String(given['tool']);
  return {
    name: textOf(given['name']) ?? tool,
    tool,
    arguments: mapOf<unknown>(given['arguments']) as JsonObject,
    expect: {
      ...(expect as Omit<Expectation, 'newest'>),
      newest: newest === undefined ? undefined : { path: newest.path, withinMs: newest.within },
    },
    mayWrite: given['mayWrite'] === true,
  };
}

function authOf(reader: ValueReader, given: unknown, path: PlanPath): TargetAuth | undefined {
  if (given === undefined) return undefined;
  const auth = given as Readonly<Record<string, string | undefined>>;
  const needed = auth['type'] === 'bearer' ? ['token'] : ['tokenUrl', 'clientId', 'clientSecret'];
  for (const key of needed.filter((one) => auth[one] === undefined)) {
    reader.report(path, 'MISSING_KEY', `${path.join('.')} of type ${auth['type']} needs "${key}".`);
  }
  const variable = (key: string): string => auth[key]?.slice(2, -1) ?? '';
  if (auth['type'] === 'bearer') return { kind: 'bearer', tokenVariable: variable('token') };
  return {
    kind: 'client-credentials',
    tokenUrl: auth['tokenUrl'] ?? '',
    clientIdVariable: variable('clientId'),
    clientSecretVariable: variable('clientSecret'),
    scope: auth['scope'],
    resource: auth['resource'],
  };
}

function checkNames(reader: ValueReader, targets: readonly ConfiguredTarget[]): void {
  const seen = new Set<string>();
  targets.forEach(({ target: { name } }, index) => {
    if (seen.has(name))
      reader.report(['targets', index, 'name'], 'DUPLICATE_ID', `Two targets are called "${name}".`, 'Rename one of them.');
    seen.add(name);
  });
}
