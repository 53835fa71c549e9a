/** Writes fixture files, and keeps what people wrote into them. */
import { isMap, isSeq, parseDocument, stringify, type Document } from 'yaml';
import type { JsonObject } from '@toolquake/sdk/core';

const HEAD = '# Golden fixtures: known requests with known answers. Approve changes with "toolquake golden update".\n';

/** How values are written: nothing is folded, and nothing refers to something else. */
const STYLE = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** A fresh file. */
export const fixturesText = (fixtures: readonly JsonObject[]): string => `${HEAD}${stringify({ version: 1, fixtures }, STYLE)}`;

/** One part of a fixture, for review. */
export const partText = (part: unknown): string => stringify(part, STYLE).trimEnd();

/** The file with further fixtures at its end. */
export function withFixtures(source: string, fixtures: readonly JsonObject[]): string {
  const { document, list } = read(source);
  for (const fixture of fixtures) list.add(document.createNode(fixture, { aliasDuplicateObjects: false }));
  return document.toString(STYLE);
}

/** The file with other expectations, by the index of their fixture; comments elsewhere stay. */
export function withExpectations(source: string, changes: ReadonlyMap<number, JsonObject>, recorded: JsonObject): string {
  const { document } = read(source);
  for (const [index, expect] of changes) {
    document.setIn(['fixtures', index, 'expect'], document.createNode(expect, { aliasDuplicateObjects: false }));
    document.setIn(['fixtures', index, 'recorded'], document.createNode(recorded));
  }
  return document.toString(STYLE);
}

function read(source: string): { readonly document: Document.Parsed; readonly list: { add(value: unknown): void } } {
  const document = parseDocument(source);
  const list = isMap(document.contents) ? document.contents.get('fixtures') : undefined;
  // Whoever calls has loaded the file before, so only the older format gets here.
  if (!isSeq(list)) throw new Error('The file has no list "fixtures".');
  return { document, list };
}
