/** Where a reference leads inside its own schema. Nothing is ever fetched: what leads out stays unresolved. */
import { isObject } from '@toolquake/sdk/core';

/** What a reference leads to; undefined when it leads out, or nowhere. Percent and tilde escapes are read. */
export function referred(document: unknown, reference: unknown): { readonly schema: unknown } | undefined {
  if (reference === '#') return { schema: document };
  if (typeof reference !== 'string' || !reference.startsWith('#/') || reference.length > 4096) return undefined;
  let target: unknown = document;
  for (const step of reference.slice(2).split('/')) {
    const name = unescaped(step);
    if (name === undefined) return undefined;
    if (Array.isArray(target) && /^\d{1,6}$/.test(name)) target = target[Number(name)];
    else if (isObject(target) && Object.hasOwn(target, name)) target = target[name];
    else return undefined;
    // An identifier inside starts a document of its own, and references in it mean something else.
    if (isObject(target) && typeof target['$id'] === 'string') return undefined;
  }
  return typeof target === 'boolean' || isObject(target) ? { schema: target } : undefined;
}

function unescaped(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
