/**
 * Network namespaces of this host. One is known by its inode, because names and processes come and go around it: a server that
 * is restarted has another pid, and often still lives in the same namespace.
 */
import { closeSync, fstatSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';

/** A namespace, as data: where it was found, and which one it is. */
export type NamespaceFacts = { readonly path: string; readonly inode: number; readonly device: number };

/** Where named namespaces are: of iproute2, and of Docker. */
const NAMED = ['/run/netns', '/run/docker/netns'];

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const PATH = /^(?:\/run\/(?:docker\/)?netns\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}|\/proc\/(?:self|[1-9]\d{0,9})\/ns\/net)$/;

/** The namespace is no more, and with it whatever was changed in it. */
export class NamespaceGone extends Error {
  constructor(facts: NamespaceFacts) {
    super(`The network namespace ${facts.inode} (${facts.path}) does not exist any more.`);
    this.name = 'NamespaceGone';
  }
}

/** The namespace that this process is in. */
export const ownNamespace = (): NamespaceFacts => {
  const { ino, dev } = statSync('/proc/self/ns/net');
  return { path: '/proc/self/ns/net', inode: ino, device: dev };
};

/** The same namespace? */
export const isSameNamespace = (one: NamespaceFacts, other: NamespaceFacts): boolean =>
  one.inode === other.inode && one.device === other.device;

/** The namespace with a name, or of a process: `shop`, `4711`. */
export function findNamespace(given: string): NamespaceFacts {
  const isPid = /^[1-9]\d{0,9}$/.test(given);
  if (!isPid && !NAME.test(given))
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'namespace must be a name as "ip netns list" shows it, or the pid of a process in it.',
      advice: 'Names have letters, digits, ".", "_" and "-", and begin with a letter or a digit.',
    });
  const places = isPid ? [`/proc/${given}/ns/net`] : NAMED.map((folder) => join(folder, given));
  for (const path of places) {
    const facts = factsOf(path);
    if (facts !== undefined) return facts;
  }
  const named = NAMED.flatMap((folder) => listed(folder));
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: isPid ? `There is no process ${given}, or its namespace may not be seen.` : `There is no network namespace "${given}".`,
    advice: isPid ? 'Give the pid of a process that runs.' : `There are: ${named.slice(0, 20).join(', ') || 'none'}.`,
  });
}

/**
 * A descriptor of exactly this namespace, wherever it can be found by now. Throws `NamespaceGone`, but not where it may only be hidden
 * from us: then it may still be there, with all that was changed in it. Close it after use.
 */
export function openNamespace(facts: NamespaceFacts): number {
  let hidden: string | undefined;
  // Containers hide a process or two from their root as well; from everybody else, all but their own are hidden.
  const mayHide = (path: string): boolean => path === facts.path || (facts.path.startsWith('/proc/') && process.geteuid?.() !== 0);
  for (const path of placesOf(facts)) {
    let descriptor: number;
    try {
      descriptor = openSync(path, 'r');
    } catch (error) {
      if (isForbidden(error) && mayHide(path)) hidden ??= path;
      continue;
    }
    const { ino, dev } = fstatSync(descriptor);
    if (ino === facts.inode && dev === facts.device) return descriptor;
    closeSync(descriptor);
  }
  if (hidden === undefined) throw new NamespaceGone(facts);
  throw new ToolquakeError('NOT_ALLOWED', {
    message: `Whether the network namespace ${facts.inode} (${facts.path}) still exists cannot be told: this user may not look at ${hidden}.`,
    advice: 'Do it as root.',
  });
}

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');

/** Is it still there? */
export function hasNamespace(facts: NamespaceFacts): boolean {
  try {
    closeSync(openNamespace(facts));
    return true;
  } catch (error) {
    if (error instanceof NamespaceGone) return false;
    throw error;
  }
}

/**
 * The namespace of a change, as undo data. Always told, also where it is that of the run itself: whoever undoes it may be in another
 * one, find nothing of ours there, and call that undone.
 */
export const namespaceData = (namespace: NamespaceFacts | undefined): JsonObject => ({ ...(namespace ?? ownNamespace()) });

/** Facts out of undo data; undefined when it is the namespace that this process is in. Throws where they were tampered with. */
export function readNamespace(value: unknown): NamespaceFacts | undefined {
  if (value === undefined || value === null) return undefined;
  const { path, inode, device }: JsonObject = isObject(value) ? value : {};
  if (typeof path === 'string' && PATH.test(path) && isCount(inode) && isCount(device)) {
    const facts = { path, inode, device };
    return isSameNamespace(facts, ownNamespace()) ? undefined : facts;
  }
  throw new Error('The namespace in the undo data is none that was written there by us.');
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Its own path first; then every name; then every process: the one that was looked at may be gone while others live on in it. */
function* placesOf({ path }: NamespaceFacts): Iterable<string> {
  yield path;
  for (const folder of NAMED) for (const name of listed(folder)) yield join(folder, name);
  for (const name of listed('/proc')) if (/^\d+$/.test(name)) yield `/proc/${name}/ns/net`;
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function factsOf(path: string): NamespaceFacts | undefined {
  try {
    const { ino, dev } = statSync(path);
    // A name whose namespace is gone is an ordinary empty file.
    return dev === ownNamespace().device ? { path, inode: ino, device: dev } : undefined;
  } catch {
    return undefined;
  }
}
