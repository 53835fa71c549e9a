/** A lock file, read back. It comes from a repository that anybody may have changed, so every part of it is checked. */
import { createValueReader, isObject, type JsonObject, type PlanPath, type PlanProblem } from '@toolquake/sdk/core';
import { hashOf, LOCK_FORMAT, LOCK_VERSION } from './lock-text.js';
import { LISTED, type EraManifest, type ListedKind, type ListingFacts, type Manifest } from './manifest.js';
import { oversize } from './measure.js';
import { contractOfTool } from './without-text.js';

/** A manifest, or what is wrong and where. */
export type LockReading = { readonly manifest: Manifest } | { readonly problems: readonly PlanProblem[] };

const KEYS = ['format', 'version', 'server', 'instructions', 'transport', 'eras', 'auth', 'listings', 'toolOrder', ...Object.keys(LISTED)];

/** Reads parsed JSON as a lock. */
export function readLock(value: unknown): LockReading {
  const read = createValueReader();
  const { problems, report } = read;
  if (!isObject(value) || value['format'] !== LOCK_FORMAT) {
    report(
      [],
      'WRONG_TYPE',
      `It is no manifest lock: "format" is not "${LOCK_FORMAT}".`,
      'Write one with "toolquake lock TARGET --out FILE".',
    );
    return { problems };
  }
  if (value['version'] !== LOCK_VERSION) {
    report(
      ['version'],
      'OUT_OF_RANGE',
      `Version ${String(value['version'])} of the lock format is unknown; this is version ${LOCK_VERSION}.`,
      'Write the lock again with this version of Toolquake.',
    );
    return { problems };
  }
  const lock = read.object(value, [], KEYS);
  const part = (name: string, path: PlanPath = []): JsonObject => {
    const found = value[name] ?? {};
    if (isObject(found)) return found;
    report([...path, name], 'WRONG_TYPE', `"${name}" must be an object.`);
    return {};
  };
  if (lock === undefined) return { problems };
  const listed = Object.fromEntries((Object.keys(LISTED) as ListedKind[]).map((kind) => [kind, readListed(kind, part(kind), report)]));
  const manifest = {
    server: part('server'),
    ...(typeof value['instructions'] === 'string' ? { instructions: value['instructions'] } : {}),
    transport: readTransport(part('transport')),
    eras: readEras(part('eras')),
    ...(isObject(value['auth']) ? { auth: { scopes: texts(value['auth']['scopes']), issuers: texts(value['auth']['issuers']) } } : {}),
    listings: readListings(part('listings')),
    toolOrder: texts(value['toolOrder']),
    ...listed,
  };
  for (const name of ['server', 'eras']) {
    const size = oversize(value[name]);
    if (size !== undefined) report([name], 'TOO_LARGE', `"${name}" is too large: ${size}.`);
  }
  // The maps were made from the table of kinds, which the compiler cannot follow through `fromEntries`.
  return problems.length > 0 ? { problems } : { manifest: manifest as unknown as Manifest };
}

type Report = (path: PlanPath, code: PlanProblem['code'], message: string, advice?: string) => undefined;

function readListed(kind: ListedKind, entries: JsonObject, report: Report): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const name of Object.keys(entries)) {
    const entry = entries[name];
    const definition = isObject(entry) ? entry['definition'] : undefined;
    const path = [kind, name];
    const size = oversize(definition);
    if (!isObject(entry) || !isObject(definition)) report(path, 'WRONG_TYPE', `"${name}" has no definition.`, 'Write the lock again.');
    else if (size !== undefined) report(path, 'TOO_LARGE', `The definition of "${name}" is too large: ${size}.`);
    else if (definition[LISTED[kind]] !== name)
      report([...path, 'definition'], 'WRONG_TYPE', `The definition of "${name}" is that of another: its ${LISTED[kind]} differs.`);
    else if (kind === 'tools' && !keepsHashes(entry, definition)) {
      report(
        [...path, 'fullHash'],
        'WRONG_TYPE',
        `The hashes of "${name}" do not belong to its definition: the lock was edited by hand, or merged badly.`,
        'Write the lock again with "toolquake lock".',
      );
    } else found.set(name, definition);
  }
  return found;
}

const keepsHashes = (entry: JsonObject, tool: JsonObject): boolean =>
  entry['fullHash'] === hashOf(tool) && entry['contractHash'] === hashOf(contractOfTool(tool));

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

function readTransport(given: JsonObject): Manifest['transport'] {
  return { kind: String(given['kind']), ...(typeof given['url'] === 'string' ? { url: given['url'] } : {}) };
}

function readEras(given: JsonObject): Manifest['eras'] {
  const era = (name: string): EraManifest | undefined => {
    const found = given[name];
    return isObject(found)
      ? { versions: texts(found['versions']), capabilities: isObject(found['capabilities']) ? found['capabilities'] : {} }
      : undefined;
  };
  const [legacy, modern] = [era('legacy'), era('modern')];
  return { ...(legacy === undefined ? {} : { legacy }), ...(modern === undefined ? {} : { modern }) };
}

function readListings(given: JsonObject): Manifest['listings'] {
  const facts = Object.keys(LISTED).flatMap((kind): readonly (readonly [string, ListingFacts])[] => {
    const one = given[kind];
    if (!isObject(one)) return [];
    const { isPaged, ttlMs, cacheScope } = one;
    const caching = { ...(typeof ttlMs === 'number' ? { ttlMs } : {}), ...(typeof cacheScope === 'string' ? { cacheScope } : {}) };
    return [[kind, { isPaged: isPaged === true, ...caching }]];
  });
  return Object.fromEntries(facts);
}
