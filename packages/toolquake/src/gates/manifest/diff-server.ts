/** What changed about the server itself: who it is, what it speaks, what it can do, who gets in, how it lists. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { isSameJson } from './canonical.js';
import type { Teller } from './finding.js';
import { LISTED, type EraManifest, type ListedKind, type Manifest } from './manifest.js';
import { textRisk } from './text-risk.js';

/** Tells every change outside the lists. */
export function diffServer(before: Manifest, after: Manifest, tell: Teller): void {
  diffEras(before, after, tell);
  if (before.transport.kind !== after.transport.kind) {
    tell('transport.changed', ['transport', 'kind'], { before: before.transport.kind, after: after.transport.kind });
  } else if (before.transport.url !== undefined && after.transport.url !== undefined && before.transport.url !== after.transport.url) {
    tell('transport.url-changed', ['transport', 'url'], { before: before.transport.url, after: after.transport.url });
  }
  diffInfo(before, after, tell);
  diffAuth(before, after, tell);
  for (const kind of Object.keys(LISTED) as ListedKind[]) diffListing(kind, before, after, tell);
}

function diffEras(before: Manifest, after: Manifest, tell: Teller): void {
  for (const era of ['legacy', 'modern'] as const) {
    const [old, now] = [before.eras[era], after.eras[era]];
    if (old !== undefined && now === undefined) tell(`protocol.${era}-era-dropped`, ['eras', era], { before: old.versions });
    else if (old === undefined && now !== undefined) tell('protocol.era-added', ['eras', era], { after: now.versions });
    else if (old !== undefined && now !== undefined) diffEra(era, old, now, tell);
  }
}

function diffEra(era: string, old: EraManifest, now: EraManifest, tell: Teller): void {
  const steps = ['eras', era, 'versions'];
  for (const version of old.versions) if (!now.versions.includes(version)) tell('protocol.version-removed', steps, { before: version });
  for (const version of now.versions) if (!old.versions.includes(version)) tell('protocol.version-added', steps, { after: version });
  diffCapabilities(old.capabilities, now.capabilities, ['eras', era, 'capabilities'], tell);
}

/** Members of capabilities are switches, settings or extensions, up to two levels deep. */
function diffCapabilities(old: JsonObject, now: JsonObject, steps: readonly string[], tell: Teller): void {
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [was, is] = [old, now].map((one) => (Object.hasOwn(one, name) ? one[name] : undefined));
    const place = [...steps, name];
    if (isSameJson(was, is)) continue;
    // A switch that is off is no capability.
    if (was === undefined || was === false) {
      if (is !== undefined && is !== false) tell('capability.added', place, { after: is });
    } else if (is === undefined || is === false) {
      tell(name === 'logging' ? 'capability.logging-removed' : 'capability.removed', place, { before: was });
    } else if (isObject(was) && isObject(is) && place.length < 8) diffCapabilities(was, is, place, tell);
    else tell('capability.changed', place, { before: was, after: is });
  }
}

function diffInfo(before: Manifest, after: Manifest, tell: Teller): void {
  const [old, now] = [before.server, after.server];
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (isSameJson(old[name], now[name])) continue;
    const id = name === 'name' ? 'server.name-changed' : name === 'version' ? 'server.version-changed' : 'server.info-changed';
    tell(id, ['server', name], { before: old[name], after: now[name] });
  }
  if (before.instructions === after.instructions) return;
  const risk = textRisk(before.instructions, after.instructions);
  tell(risk === undefined ? 'server.instructions-changed' : 'server.instructions-suspicious', ['instructions'], {
    before: before.instructions,
    after: after.instructions,
    detail: risk,
  });
}

function diffAuth({ auth: old }: Manifest, { auth: now }: Manifest, tell: Teller): void {
  if (old === undefined && now === undefined) return;
  if (old === undefined) return tell('auth.added', ['auth'], { after: now });
  if (now === undefined) return tell('auth.removed', ['auth'], { before: old });
  for (const scope of now.scopes) if (!old.scopes.includes(scope)) tell('auth.scope-added', ['auth', 'scopes'], { after: scope });
  for (const scope of old.scopes) if (!now.scopes.includes(scope)) tell('auth.scope-removed', ['auth', 'scopes'], { before: scope });
  if (!isSameJson([...old.issuers].sort(), [...now.issuers].sort()))
    tell('auth.issuer-changed', ['auth', 'issuers'], { before: old.issuers, after: now.issuers });
}

function diffListing(kind: ListedKind, before: Manifest, after: Manifest, tell: Teller): void {
  const [old, now] = [before.listings[kind], after.listings[kind]];
  if (old === undefined || now === undefined) return;
  const steps = ['listings', kind];
  if (old.isPaged !== now.isPaged) tell(now.isPaged ? 'listing.paged' : 'listing.unpaged', [...steps, 'isPaged']);
  const [wasPublic, isPublic] = [old.cacheScope, now.cacheScope].map((scope) => scope === 'public');
  if (wasPublic !== isPublic && old.cacheScope !== undefined && now.cacheScope !== undefined) {
    tell(isPublic === true ? 'listing.cache-public' : 'listing.cache-private', [...steps, 'cacheScope'], {
      before: old.cacheScope,
      after: now.cacheScope,
    });
  }
  const [oldTtl, newTtl] = [old.ttlMs ?? 0, now.ttlMs ?? 0];
  if (oldTtl !== newTtl)
    tell(newTtl < oldTtl ? 'listing.ttl-shortened' : 'listing.ttl-lengthened', [...steps, 'ttlMs'], {
      before: old.ttlMs,
      after: now.ttlMs,
    });
}
