/** From the settings of one target to the target, checked: what the table of keys cannot see. */
import { resolve } from 'node:path';
import { pathText, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { Stage } from '../core/connection.js';
import type { Canary, ProbePlan } from '../core/expectation.js';
import type { Budgets, TargetAuth, TargetDefinition } from '../targets/target.js';
import type { ConfiguredTarget } from './configured-target.js';
import { callOf } from './expectation.js';
import { loadFixtures } from './load-fixtures.js';

type Settings = Readonly<Record<string, unknown>>;
// What readSettings read by the table of its own name; the table says which kinds of values there are.
const listOf = (value: unknown): readonly Settings[] => (value ?? []) as readonly Settings[];
const textsOf = (value: unknown): readonly string[] => (value ?? []) as readonly string[];
const textOf = (value: unknown): string | undefined => value as string | undefined;
const mapOf = <Value>(value: unknown): Readonly<Record<string, Value>> => (value ?? {}) as Readonly<Record<string, Value>>;

/** The target that a table read, at any place of any file; problems that the table cannot see are reported. Paths in it start at `folder`. */
export async function readTarget(
  reader: ValueReader,
  given: Settings,
  path: PlanPath,
  { folder, budgets }: { readonly folder: string; readonly budgets?: unknown },
): Promise<ConfiguredTarget> {
  const { url, command } = given;
  const name = String(given['name']);
  if ((url === undefined) === (command === undefined)) {
    const message = `${pathText(path)} needs either "url" or "command"${url === undefined ? '' : ', not both'}.`;
    reader.report(path, 'MISSING_KEY', message, 'For example: url: https://shop.example/mcp, or command: [node, server.js].');
  }
  for (const [key, address] of [
    [['url'], url],
    [['health', 'url'], mapOf<unknown>(given['health'])['url']],
  ] as const) {
    if (typeof address !== 'string' || URL.canParse(address)) continue;
    const at = [...path, ...key];
    reader.report(at, 'WRONG_TYPE', `${pathText(at)} is no address.`, 'For example: http://127.0.0.1:3001/mcp');
  }
  const misplaced = url === undefined ? ['headers', 'auth', 'caFile', 'publicOnly'] : ['env', 'cwd'];
  for (const key of misplaced.filter((one) => one in given)) {
    reader.report(
      [...path, key],
      'UNKNOWN_KEY',
      `${pathText([...path, key])} is for targets with a ${url === undefined ? 'URL' : 'command'}.`,
    );
  }
  const common = {
    name,
    era: given['era'] as TargetDefinition['era'],
    budgets: { ...budgetsIn(budgets), ...budgetsIn(given['budgets']) },
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
  const canaries: Canary[] = [];
  for (const [at, canary] of listOf(given['canaries']).entries())
    canaries.push(...(await canariesOf(reader, canary, [...path, 'canaries', at], folder)));
  return { target, plan: probePlanOf(given, canaries), manifest: fromHere(given['manifest']), labels: mapOf<string>(given['labels']) };
}

/** `hello: 5s` is `helloMs: 5000`. */
function budgetsIn(given: unknown): Partial<Budgets> {
  return Object.fromEntries(
    Object.entries(mapOf<number>(given)).map(([name, value]) => [name.startsWith('max') ? name : `${name}Ms`, value]),
  );
}

function probePlanOf(given: Settings, canaries: readonly Canary[]): ProbePlan {
  const health = given['health'] as Settings | undefined;
  return {
    tools: textsOf(given['tools']),
    canaries,
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

/** A canary here, or all fixtures of a file. */
async function canariesOf(reader: ValueReader, given: Settings, path: PlanPath, folder: string): Promise<readonly Canary[]> {
  const { tool, fixture } = given;
  if ((tool === undefined) === (fixture === undefined)) {
    reader.report(path, 'MISSING_KEY', `${pathText(path)} needs either "tool" or "fixture"${tool === undefined ? '' : ', not both'}.`);
    return [];
  }
  if (fixture === undefined) return [callOf(given, path, reader, String(tool))];
  for (const key of ['name', 'arguments', 'expect', 'mayWrite'].filter((one) => one in given))
    reader.report([...path, key], 'UNKNOWN_KEY', `${pathText(path)}.${key} stands in the fixture file.`);
  const file = textOf(fixture) ?? '';
  return loadFixtures(file, resolve(folder, file));
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
