/** What undo steps of the network have in common: facts out of undo data, and a look at the dependency once the rules are gone. */
import { isIP } from 'node:net';
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { connectedText, connectWithin } from './connect-within.js';
import { hasNamespace, NamespaceGone, readNamespace, type NamespaceFacts } from './namespace.js';
import type { UndoState, UndoWorld } from '../core/undo-step.js';

/** How long the dependency may take to answer before the proof says that it did not. */
const LOOK_MS = 1500;

/** Where the dependency is looked at from, as undo data. */
export const lookData = (address: string, port: number, uid: number | undefined): JsonObject => ({
  address,
  port,
  ...(uid === undefined ? {} : { uid }),
});

/** Takes back what is in a namespace; one that is gone took it along. */
export async function undoWithin(data: JsonObject, undo: (namespace: NamespaceFacts | undefined) => Promise<void>): Promise<void> {
  try {
    await undo(readNamespace(data['namespace']));
  } catch (error) {
    if (!(error instanceof NamespaceGone)) throw error;
  }
}

/** Reads what is in a namespace. `left` resolves to what is still there, in words; undefined when nothing is. */
export async function verifyWithin(
  data: JsonObject,
  world: UndoWorld,
  { left, gone }: { readonly left: (namespace: NamespaceFacts | undefined) => Promise<string | undefined>; readonly gone: string },
): Promise<UndoState> {
  const namespace = readNamespace(data['namespace']);
  try {
    if (namespace !== undefined && !hasNamespace(namespace)) return { is: 'gone', proof: new NamespaceGone(namespace).message };
    const still = await left(namespace);
    if (still !== undefined) return { is: 'not-undone', why: still };
  } catch (error) {
    if (error instanceof NamespaceGone) return { is: 'gone', proof: error.message };
    return { is: 'not-undone', why: `It cannot be read whether it is: ${error instanceof Error ? error.message : String(error)}` };
  }
  return { is: 'undone', proof: `${gone}${await looked(data['look'], namespace, world)}` };
}

/** A dependency that does not answer any more is told, and is no leftover of ours: our rules are gone. */
async function looked(value: unknown, namespace: NamespaceFacts | undefined, { signal }: UndoWorld): Promise<string> {
  const { address, port, uid }: JsonObject = isObject(value) ? value : {};
  if (typeof address !== 'string' || isIP(address) === 0 || !isPort(port)) return '';
  const from = { namespace, uid: typeof uid === 'number' && Number.isSafeInteger(uid) && uid >= 0 ? uid : undefined };
  const seen = await connectWithin(from, { address, port }, { timeoutMs: LOOK_MS, signal });
  return `; ${address} port ${port}: ${connectedText(seen)}`;
}

/** A TCP port? */
const isPort = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
