/** Says hello in either era, and finds out which one the server speaks. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { objectIn, rpcFailure, TargetFailure, type RpcErrorObject } from '../core/connection.js';
import type { Conversation } from './conversation.js';
import {
  isModernError,
  LEGACY_VERSIONS,
  MODERN_VERSIONS,
  readDiscover,
  readInitialize,
  versionMismatch,
  listed,
  type Hello,
} from './eras.js';

/** A hello that was answered. `answer` is the result as it came. */
export type Greeting = Hello & { readonly answer: JsonObject };

/** Asks as a client of the modern era. `legacy` is the verdict that the server is older; `isStrict` makes that a failure. */
export async function discover(conversation: Conversation, isStrict: boolean): Promise<Greeting | 'legacy'> {
  const { clientInfo } = conversation.speaker;
  conversation.speaker = { era: 'modern', version: MODERN_VERSIONS[0]!, clientInfo, sessionId: undefined };
  const outcome = await conversation.ask('hello', 'server/discover').catch((error: unknown) => {
    if (!isStrict && error instanceof TargetFailure && isLegacyRefusal(error)) return undefined;
    throw error;
  });
  if (outcome === undefined) return 'legacy';
  if (outcome.kind === 'error') {
    const verdict = verdictOnError(outcome.error);
    if (verdict === 'legacy' && !isStrict) return 'legacy';
    throw verdict === 'legacy' ? rpcFailure('hello', outcome.error, 'server/discover') : verdict;
  }
  const hello = readDiscover(outcome.result);
  if (hello !== 'legacy') return { ...hello, answer: outcome.result };
  if (!isStrict) return 'legacy';
  throw versionMismatch(`the server supports ${listed(outcome.result['supportedVersions'] as readonly unknown[])}`);
}

/** Opens a session as a client of the legacy era. */
export async function initialize(conversation: Conversation): Promise<Greeting> {
  const { clientInfo } = conversation.speaker;
  conversation.speaker = { era: 'legacy', version: LEGACY_VERSIONS[0]!, clientInfo, sessionId: undefined };
  const answer = await conversation.want('hello', 'initialize', { protocolVersion: LEGACY_VERSIONS[0], capabilities: {}, clientInfo });
  const hello = readInitialize(answer);
  conversation.speaker = { ...conversation.speaker, version: hello.version };
  await conversation.tell('notifications/initialized');
  return { ...hello, answer };
}

/**
 * A status that a server of the legacy era may give to a request that it does not know. What says who may enter, that
 * somebody is overloaded or that something broke says nothing about eras: there is no second attempt in another one.
 */
function isLegacyRefusal({ facts: { httpStatus = 0 } }: TargetFailure): boolean {
  return httpStatus >= 400 && httpStatus < 500 && ![401, 403, 407, 408, 429].includes(httpStatus);
}

function verdictOnError(error: RpcErrorObject): 'legacy' | TargetFailure {
  if (!isModernError(error.code)) return 'legacy';
  if (error.code !== -32022) return rpcFailure('hello', error, 'server/discover');
  const supported = objectIn(isObject(error.data) ? { data: error.data } : {}, 'data')['supported'];
  const versions: readonly unknown[] = Array.isArray(supported) ? supported : [];
  if (LEGACY_VERSIONS.some((one) => versions.includes(one))) return 'legacy';
  return versionMismatch(`the server supports ${versions.length === 0 ? 'versions that it does not name' : listed(versions)}`);
}
