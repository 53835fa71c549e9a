/** From several recordings of one call to what is expected of it, in the words of a fixture file. */
import { isObject, placesAt, type DataPath, type JsonObject } from '@toolquake/sdk/core';
import { isDeeper } from '../../core/answer-data.js';
import { redactValue } from '../../recordings/redact.js';
import { canonicalText } from '../manifest/canonical.js';
import type { Answer } from './answer.js';
import { isBare } from './bare.js';
import { withoutPaths } from './compare.js';
import { withoutSecrets } from './known-secrets.js';
import { textOfPath } from './matcher.js';
import { kindOf } from './matchers/kinds.js';
import { typeOf } from './matchers/types.js';
import { isIsoTime, momentOf } from './moment.js';
import { mediaOf, snapshotHash } from './snapshot-hash.js';
import { volatilePaths } from './volatile.js';

/** What can be expected, or why nothing can. */
export type Recording = { readonly expect: JsonObject; readonly volatile: readonly string[] } | { readonly refusal: string };

/** Larger answers are kept as a hash: nobody would review them. */
const MAX_EXACT_CHARACTERS = 32_768;
const MAX_EXACT_LEVELS = 60;
/** A time this close to the call is a time of the call. */
const CALL_TIME_MS = 300_000;
const MAX_LINES = 20;

/** Secrets count as volatile: what is redacted cannot be compared, and the answer brings it again. */
export function makeExpectation(answers: readonly Answer[], secrets: readonly string[]): Recording {
  const [first] = answers;
  if (first === undefined) return { refusal: 'nothing was recorded' };
  const failed = answers.filter(({ rpcError, result }) => rpcError !== undefined || result['isError'] === true);
  if (failed.length > 0) return failed.length === answers.length ? ofErrors(answers, secrets) : { refusal: 'it fails now and then' };
  const recordings = answers.map(({ data }) => data);
  const clean = withoutSecrets(redactValue(first.data), secrets);
  const paths = volatilePaths([...recordings, clean]);
  const volatile = paths.map(textOfPath);
  const kept = withoutPaths(first.data, paths);
  const kinds = first.blocks.map(kindOf);
  const common = {
    ...aboutVolatile(answers, paths),
    ...(answers.every(({ blocks }) => blocks.map(kindOf).join() === kinds.join()) && kinds.length > 0 ? { kinds } : {}),
    ...(isObject(first.tool?.['outputSchema']) ? { outputSchema: true } : {}),
  };
  const body = bodyOf(answers, kept, paths, clean);
  if (body === undefined) return { refusal: 'nothing in the answer stays the same: no assertion would be stable' };
  return { expect: { ...body, ...common }, volatile };
}

function bodyOf(answers: readonly Answer[], kept: unknown, paths: readonly DataPath[], clean: unknown): JsonObject | undefined {
  const [first] = answers as readonly [Answer];
  const ignored = answers.map((answer) => ({ ...answer, ignore: paths }));
  const hashes = new Set(ignored.map(snapshotHash));
  const isWhole = paths.some((path) => path.length === 0);
  const hasMedia = mediaOf(first.blocks).length > 0;
  if (hasMedia && hashes.size === 1)
    return { hash: snapshotHash(ignored[0]!), ...(isWhole || isBare(kept) || kept === '' ? {} : exactOf(kept)) };
  if (isWhole) return linesOf(answers, clean);
  if (isBare(kept) || kept === '') return undefined;
  const isLarge = isDeeper(kept, MAX_EXACT_LEVELS) || canonicalText(kept).length > MAX_EXACT_CHARACTERS;
  return isLarge ? { hash: snapshotHash({ ...ignored[0]!, blocks: first.blocks }) } : exactOf(kept);
}

const exactOf = (kept: unknown): JsonObject => ({ exact: kept });

/** Of a text that changes, the lines that stay. */
function linesOf(answers: readonly Answer[], clean: unknown): JsonObject | undefined {
  if (typeof clean !== 'string') return undefined;
  const lines = clean.split('\n').map((line) => line.trim());
  const texts = answers.map(({ text }) => text);
  const contains = [...new Set(lines)].filter((line) => line.length > 3 && texts.every((text) => text.includes(line))).slice(0, MAX_LINES);
  return contains.length === 0 ? undefined : { contains };
}

/** Of what changes, the kind of value stays, and that it is a time of now. */
function aboutVolatile(answers: readonly Answer[], paths: readonly DataPath[]): JsonObject {
  const types: [string, string][] = [];
  const times: [string, JsonObject][] = [];
  for (const path of paths.filter((one) => one.length > 0)) {
    const values = answers.map(({ data }) => placesAt(data, path).map(({ value }) => value));
    const found = [...new Set(values.flat().map(typeOf))];
    if (values.some((list) => list.length === 0) || found.length !== 1) continue;
    const isNow = answers.every(({ wallClockMs }, index) =>
      values[index]!.every((value) => isIsoTime(value) && Math.abs(wallClockMs - momentOf(value)!) <= CALL_TIME_MS),
    );
    if (isNow) times.push([textOfPath(path), { past: '5m', future: '5m' }]);
    else types.push([textOfPath(path), found[0]!]);
  }
  return {
    ...(paths.length === 0 || paths.some((path) => path.length === 0) ? {} : { ignore: paths.map(textOfPath) }),
    ...(types.length === 0 ? {} : { types: Object.fromEntries(types) }),
    ...(times.length === 0 ? {} : { times: Object.fromEntries(times) }),
  };
}

function ofErrors(answers: readonly Answer[], secrets: readonly string[]): Recording {
  const codes = new Set(answers.map(({ rpcError }) => rpcError?.code));
  const messages = new Set(answers.map(({ rpcError, text }) => (rpcError?.message ?? text).trim()));
  const [code, message] = [[...codes][0], [...messages][0]];
  if (codes.size > 1) return { refusal: 'it fails in another way each time' };
  const isKept =
    messages.size === 1 && message !== undefined && message !== '' && withoutSecrets(redactValue(message), secrets) === message;
  return { expect: { error: { ...(code === undefined ? {} : { code }), ...(isKept ? { contains: message } : {}) } }, volatile: [] };
}
