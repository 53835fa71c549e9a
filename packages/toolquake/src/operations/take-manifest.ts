/** Asks a server for all that it shows, in every era that it speaks, and refuses what no lock could hold. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, type Connection, type Era, type Listing } from '../core/connection.js';
import type { FailureReason } from '../core/failure-reason.js';
import { unfitOr, UnfitTarget } from '../core/unfit-target.js';
import { canonicalText } from '../gates/manifest/canonical.js';
import { LISTED, type ListedKind, type ListingFacts, type Manifest } from '../gates/manifest/manifest.js';
import { oversize } from '../gates/manifest/measure.js';
import { redactText } from '../recordings/redact.js';
import { isThisMachine } from '../core/this-machine.js';
import { readAuthDemand } from '../targets/challenge.js';
import { openConnection, type OpenOptions } from '../targets/open-connection.js';
import type { TargetDefinition, UrlTarget } from '../targets/target.js';

/** The server answered, and what it said cannot be locked. */
export class ManifestRefusal extends UnfitTarget {
  override readonly name = 'ManifestRefusal';
  /** Its name in the table of failures. */
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, advice: string, options: ConstructorParameters<typeof UnfitTarget>[2] = {}) {
    super(message, advice, options);
    this.reason = reason;
  }
}

/** How a server is asked. */
export type TakeOptions = Pick<OpenOptions, 'signal' | 'env' | 'budgets' | 'clock' | 'resolve'> & {
  /** What others are held against: when it is sick, the gate can say nothing. */
  readonly isBaseline?: boolean | undefined;
};

/** The manifest of a server, taken now. */
export async function takeManifest(target: TargetDefinition, options: TakeOptions = {}): Promise<Manifest> {
  try {
    return await take(target, options);
  } catch (error) {
    if (error instanceof ManifestRefusal && options.isBaseline === true) {
      throw new ManifestRefusal(error.reason, error.message, error.advice, { cause: error.cause, isBaseline: true });
    }
    if (!(error instanceof TargetFailure)) throw error;
    throw unfitOr(error, `${target.name} gave no manifest`, redactText(error.facts.detail), options.isBaseline);
  }
}

async function take(target: TargetDefinition, options: TakeOptions): Promise<Manifest> {
  const first = await showingOf(target, options);
  // A server that speaks the modern era often speaks the older one, too; the other way round, detection would have said so.
  const other = first.era === 'modern' && (target.era ?? 'auto') === 'auto' ? await legacyShowing(target, options) : undefined;
  if (other !== undefined) refuseDifference(first, other);
  const auth = hasCredentials(target) ? await readAuthDemand(target, options) : undefined;
  const eras = Object.fromEntries(
    [first, ...(other === undefined ? [] : [other])].map(({ era, versions, capabilities }) => [era, { versions, capabilities }]),
  );
  const { server, instructions, transport, lists } = first;
  return {
    server,
    ...(instructions === undefined ? {} : { instructions }),
    transport,
    eras,
    ...(auth === undefined ? {} : { auth }),
    listings: Object.fromEntries(lists.map(({ kind, facts }) => [kind, facts])),
    toolOrder: [...(lists.find(({ kind }) => kind === 'tools')?.items.keys() ?? [])],
    tools: itemsOf(lists, 'tools'),
    prompts: itemsOf(lists, 'prompts'),
    resources: itemsOf(lists, 'resources'),
    resourceTemplates: itemsOf(lists, 'resourceTemplates'),
  };
}

/** Who gets in without any is asked for none. */
const hasCredentials = (target: TargetDefinition): target is UrlTarget =>
  target.kind === 'url' &&
  (target.auth !== undefined || Object.keys(target.headers ?? {}).some((name) => name.toLowerCase() === 'authorization'));

type Shown = { readonly kind: ListedKind; readonly items: ReadonlyMap<string, JsonObject>; readonly facts: ListingFacts };
type Showing = Pick<Manifest, 'server' | 'transport'> & {
  readonly era: Era;
  readonly versions: readonly string[];
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly lists: readonly Shown[];
};

const itemsOf = (lists: readonly Shown[], wanted: ListedKind): ReadonlyMap<string, JsonObject> =>
  lists.find(({ kind }) => kind === wanted)?.items ?? new Map();

async function showingOf(target: TargetDefinition, options: TakeOptions): Promise<Showing> {
  const connection = await openConnection(target, options);
  try {
    const lists = await listEverything(connection, options);
    if (lists.every(({ items }) => items.size === 0)) {
      throw new ManifestRefusal(
        'tools_empty',
        `${target.name} lists nothing: no tool, no prompt, no resource.`,
        'Is it ready, is it the right server, and do these credentials see anything?',
      );
    }
    const again = await listEverything(connection, options);
    if (textOf(lists) !== textOf(again)) {
      throw new ManifestRefusal(
        'manifest_unstable',
        `${target.name} listed different things when it was asked twice: ${firstDifference(lists, again)}.`,
        'A lock of one of the two answers would fail by chance. Make the lists stable first.',
      );
    }
    const { era, serverInfo, capabilities, instructions, protocolVersion, hello } = connection;
    const supported = hello['supportedVersions'];
    const versions =
      era === 'modern' && Array.isArray(supported) ? supported.filter((one): one is string => typeof one === 'string') : [protocolVersion];
    return { era, versions, capabilities, instructions, server: serverInfo, transport: transportOf(target, connection), lists };
  } finally {
    await connection.close();
  }
}

/** Undefined when the server serves no older clients. */
async function legacyShowing(target: TargetDefinition, options: TakeOptions): Promise<Showing | undefined> {
  try {
    return await showingOf({ ...target, era: 'legacy' }, options);
  } catch (error) {
    if (error instanceof TargetFailure && error.step !== 'list') return undefined;
    throw error;
  }
}

function refuseDifference(modern: Showing, legacy: Showing): void {
  if (namesText(modern.lists) === namesText(legacy.lists)) return;
  throw new ManifestRefusal(
    'manifest_unstable',
    `The server shows other things to clients of the older era: ${firstDifference(modern.lists, legacy.lists)}.`,
    'Lock each era for itself, with --era modern and --era legacy.',
  );
}

/** Details may be spelled in another way by another era; what is there must be there in both. */
const namesText = (lists: readonly Shown[]): string =>
  canonicalText(lists.map(({ kind, items }) => [kind, [...items.keys()].sort()]).filter(([, names]) => names!.length > 0));
const textOf = (lists: readonly Shown[]): string => canonicalText(lists.map(({ kind, items }) => [kind, [...items]]));

function firstDifference(one: readonly Shown[], other: readonly Shown[]): string {
  for (const kind of Object.keys(LISTED) as ListedKind[]) {
    const [before, after] = [itemsOf(one, kind), itemsOf(other, kind)];
    const name = [...before.keys(), ...after.keys()].find(
      (key) => canonicalText(before.get(key) ?? null) !== canonicalText(after.get(key) ?? null),
    );
    if (name !== undefined) return `${kind} ${JSON.stringify(name)}`;
    if (canonicalText([...before.keys()]) !== canonicalText([...after.keys()])) return `the order of ${kind}`;
  }
  return 'the lists themselves';
}

/** Resource templates belong to the capability of resources. */
const CAPABILITY: Readonly<Record<ListedKind, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resources',
};

async function listEverything(connection: Connection, { signal }: TakeOptions): Promise<readonly Shown[]> {
  const lists: Shown[] = [];
  for (const kind of Object.keys(LISTED) as ListedKind[]) {
    if (connection.capabilities[CAPABILITY[kind]] === undefined) continue;
    try {
      lists.push(shownOf(kind, await connection.listAll(kind, { signal })));
    } catch (error) {
      // Resources without templates are common, and some servers have no such method then.
      if (!(error instanceof TargetFailure && error.reason === 'method_not_found' && kind === 'resourceTemplates')) throw error;
    }
  }
  return lists;
}

function shownOf(kind: ListedKind, { items, pages, envelope }: Listing): Shown {
  const found = new Map<string, JsonObject>();
  for (const item of items) {
    const name = isObject(item) ? item[LISTED[kind]] : undefined;
    if (typeof name !== 'string')
      throw new ManifestRefusal(
        'result_schema_invalid',
        `One of the ${kind} has no ${LISTED[kind]}.`,
        'Repair the list: clients refuse it, too.',
      );
    if (found.has(name))
      throw new ManifestRefusal(
        'tools_duplicate',
        `${JSON.stringify(name)} is listed twice among the ${kind}.`,
        'Names must be unique: clients keep one of the two, and nobody knows which.',
      );
    const size = oversize(item);
    if (size !== undefined)
      throw new ManifestRefusal(
        'tool_schema_invalid',
        `The definition of ${JSON.stringify(name)} among the ${kind} is too large: ${size}.`,
        'Simplify it: clients and models give up, too.',
      );
    found.set(name, item);
  }
  const { ttlMs, cacheScope } = envelope;
  const facts = {
    isPaged: pages > 1,
    ...(typeof ttlMs === 'number' ? { ttlMs } : {}),
    ...(typeof cacheScope === 'string' ? { cacheScope } : {}),
  };
  return { kind, items: found, facts };
}

/** Without credentials and query. Addresses on this machine are accidents of a test run, so they are left out. */
function transportOf(target: TargetDefinition, { transport: kind }: Connection): Manifest['transport'] {
  if (target.kind !== 'url') return { kind };
  const { hostname, origin, pathname } = new URL(target.url);
  return isThisMachine(hostname) ? { kind } : { kind, url: `${origin}${pathname}` };
}
