/** Replaces a function on an object that is not ours, and puts it back exactly, in whatever order several of us leave. */
import type { Cancel } from './clock.js';

/** What a replacement stands for; no descriptor where the property was inherited. */
type Patch = { readonly before: PropertyDescriptor | undefined; isUndone: boolean };

/** By replacement, so that a patch under another one can be found and skipped. */
const patches = new WeakMap<object, Patch>();

/**
 * Puts a function in the place of a property. Where somebody has patched over it since, undoing leaves that one alone; the
 * replacement under it comes off together with the last patch above it, if that is one of ours.
 */
export function patchProperty<Owner extends object, Key extends keyof Owner>(
  owner: Owner,
  key: Key,
  replacement: Owner[Key] & object,
): Cancel {
  const patch: Patch = { before: Object.getOwnPropertyDescriptor(owner, key), isUndone: false };
  patches.set(replacement, patch);
  const { enumerable = true } = patch.before ?? {};
  Object.defineProperty(owner, key, { value: replacement, configurable: true, writable: true, enumerable });
  return () => {
    patch.isUndone = true;
    for (;;) {
      const current: unknown = Object.getOwnPropertyDescriptor(owner, key)?.value;
      const top = typeof current === 'function' ? patches.get(current) : undefined;
      if (top === undefined || !top.isUndone) return;
      if (top.before === undefined) Reflect.deleteProperty(owner, key);
      else Object.defineProperty(owner, key, top.before);
    }
  };
}
