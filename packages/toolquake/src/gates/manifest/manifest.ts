/** What a server shows to its clients, in one value: from a lock file, or from a server that was asked just now. */
import type { JsonObject } from '@toolquake/sdk/core';

/** What one era of the protocol offers. */
export type EraManifest = { readonly versions: readonly string[]; readonly capabilities: JsonObject };

/** How a list is served. */
export type ListingFacts = { readonly isPaged: boolean; readonly ttlMs?: number; readonly cacheScope?: string };

/** The kinds of things a server lists, and the member that names them. */
export const LISTED = { tools: 'name', prompts: 'name', resources: 'uri', resourceTemplates: 'uriTemplate' } as const;

/** A key of `LISTED`. */
export type ListedKind = keyof typeof LISTED;

/** See the module comment. Definitions by name, as the server wrote them. */
export type Manifest = {
  readonly server: JsonObject;
  readonly instructions?: string;
  readonly transport: { readonly kind: string; readonly url?: string };
  readonly eras: { readonly legacy?: EraManifest; readonly modern?: EraManifest };
  /** What a client must be let in with; absent when nothing asked for it. */
  readonly auth?: { readonly scopes: readonly string[]; readonly issuers: readonly string[] };
  readonly listings: Readonly<Partial<Record<ListedKind, ListingFacts>>>;
  /** Names of tools in the order of the list: models see them in this order, and caches of prompts depend on it. */
  readonly toolOrder: readonly string[];
} & { readonly [Kind in ListedKind]: ReadonlyMap<string, JsonObject> };
