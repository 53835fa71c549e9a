/** A manifest as a lock file: the same server gives the same bytes, and a change of one thing is a change of few lines. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from './canonical.js';
import { LISTED, type ListedKind, type Manifest } from './manifest.js';
import { contractOfTool } from './without-text.js';

/** What a lock file says of itself. */
export const LOCK_FORMAT = 'toolquake-manifest';
/** The version of its shape; a reader refuses others. */
export const LOCK_VERSION = 1;

/** The text of a lock file. */
export function lockText(manifest: Manifest): string {
  const listed = Object.fromEntries(
    (Object.keys(LISTED) as ListedKind[]).map((kind) => [
      kind,
      Object.fromEntries(
        [...manifest[kind]].map(([name, definition]) => [name, kind === 'tools' ? withHashes(definition) : { definition }]),
      ),
    ]),
  );
  const { server, instructions, transport, eras, auth, listings, toolOrder } = manifest;
  const lock = { format: LOCK_FORMAT, version: LOCK_VERSION, server, instructions, transport, eras, auth, listings, toolOrder, ...listed };
  return `${canonicalText(lock, { isIndented: true })}\n`;
}

/** Two hashes: whoever only cares for the contract need not look when a text changed. */
const withHashes = (tool: JsonObject): JsonObject => ({
  contractHash: hashOf(contractOfTool(tool)),
  fullHash: hashOf(tool),
  definition: tool,
});

/** The hash of a value in canonical form. */
export const hashOf = (value: unknown): string => `sha256:${createHash('sha256').update(canonicalText(value)).digest('hex')}`;
