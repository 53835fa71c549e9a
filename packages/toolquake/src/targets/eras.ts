/** What the two eras of the protocol ask of a client, in messages and headers. Pure. */
import { isObject, nameHeaderValue, type JsonObject } from '@toolquake/sdk/core';
import { objectIn, TargetFailure, type Era } from '../core/connection.js';

/** The versions that we speak, newest first. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** Who we are, and in which version of the protocol we speak. */
export type Speaker = {
  readonly era: Era;
  readonly version: string;
  readonly clientInfo: JsonObject;
  readonly sessionId: string | undefined;
};

const META = 'io.modelcontextprotocol';

/** Parameters with what the era puts into each request. Members of `_meta` that the caller gave stay. */
export function paramsFor({ era, version, clientInfo }: Speaker, params: JsonObject | undefined): JsonObject | undefined {
  if (era === 'legacy') return params;
  const meta = params !== undefined && isObject(params['_meta']) ? params['_meta'] : {};
  return {
    ...params,
    _meta: {
      [`${META}/protocolVersion`]: version,
      [`${META}/clientInfo`]: clientInfo,
      [`${META}/clientCapabilities`]: {},
      ...meta,
    },
  };
}

/** The headers of a request over HTTP. `initialize` goes before a version is agreed on. */
export function headersFor(
  { era, version, sessionId }: Speaker,
  method: string,
  params: JsonObject | undefined,
): Readonly<Record<string, string>> {
  if (era === 'legacy') {
    if (method === 'initialize') return {};
    return { 'mcp-protocol-version': version, ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }) };
  }
  const name =
    method === 'resources/read' ? params?.['uri'] : method === 'tools/call' || method === 'prompts/get' ? params?.['name'] : undefined;
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': nameHeaderValue(name) } : {}),
  };
}

/** Is this the error of a server of the modern era? */
export function isModernError(code: number): boolean {
  return code === -32020 || code === -32021 || code === -32022;
}

/** What a server said about itself. */
export type Hello = {
  readonly version: string;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
};

const invalid = (detail: string): TargetFailure => new TargetFailure({ reason: 'result_schema_invalid', step: 'hello', detail });

/** Reads an answer to `server/discover`. `fallback` says that the server offers versions of the legacy era only. */
export function readDiscover(result: JsonObject): Hello | 'legacy' {
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.every((one) => typeof one === 'string')) {
    throw invalid('the answer to server/discover lists no supportedVersions');
  }
  const version = MODERN_VERSIONS.find((one) => versions.includes(one));
  if (version === undefined) {
    if (LEGACY_VERSIONS.some((one) => versions.includes(one))) return 'legacy';
    throw versionMismatch(`the server supports ${listed(versions)}`);
  }
  const missing = ['resultType', 'capabilities', 'ttlMs', 'cacheScope'].filter((name) => !(name in result));
  if (missing.length > 0) throw invalid(`the answer to server/discover lacks ${missing.join(', ')}`);
  if (!isObject(result['capabilities'])) throw invalid('the capabilities of the server are no object');
  return { version, serverInfo: objectIn(objectIn(result, '_meta'), `${META}/serverInfo`), ...saidBoth(result) };
}

/** Reads an answer to `initialize`. */
export function readInitialize(result: JsonObject): Hello {
  const version = result['protocolVersion'];
  if (typeof version !== 'string') throw invalid('the answer to initialize names no protocolVersion');
  if (!LEGACY_VERSIONS.includes(version)) throw versionMismatch(`the server answers in version ${listed([version])}`);
  if (!isObject(result['capabilities'])) throw invalid('the answer to initialize has no capabilities');
  if (!isObject(result['serverInfo'])) throw invalid('the answer to initialize has no serverInfo');
  return { version, serverInfo: result['serverInfo'], ...saidBoth(result) };
}

function saidBoth(result: JsonObject): Pick<Hello, 'capabilities' | 'instructions'> {
  const { instructions } = result;
  return { capabilities: objectIn(result, 'capabilities'), instructions: typeof instructions === 'string' ? instructions : undefined };
}

/** No version in common. */
export function versionMismatch(what: string): TargetFailure {
  const ours = [...MODERN_VERSIONS, ...LEGACY_VERSIONS].join(', ');
  return new TargetFailure({ reason: 'protocol_version_mismatch', step: 'hello', detail: `${what}; we speak ${ours}` });
}

/** Some words of a server, few and short enough for a message. */
export function listed(words: readonly unknown[]): string {
  const shown = words.slice(0, 8).map((word) => JSON.stringify(String(word).slice(0, 40)));
  return words.length > shown.length ? `${shown.join(', ')} and ${words.length - shown.length} more` : shown.join(', ');
}
