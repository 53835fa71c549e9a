/**
 * A lock as a folder of numbered files: the highest number holds it. Taking it means making the next number, which only
 * one process can; so a lock whose holder died is never taken by two, and the number is a fencing token that only grows.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { makeWhole, readWhole } from './whole-file.js';

/** A lock that we took. */
export type NumberedLock = {
  readonly token: number;
  /** Reads the folder anew: false once it was released, revoked, or taken by somebody with a higher token. */
  isHeld(): boolean;
  release(): void;
};

/** What the folder says. `record`: undefined when it cannot be read. */
export type LockView = {
  readonly token: number;
  readonly record: JsonObject | undefined;
  readonly isReleased: boolean;
  readonly isRevoked: boolean;
};

const FILE = /^(\d{12})\.(json|released|revoked)$/;
const nameOf = (token: number, word: string): string => `${String(token).padStart(12, '0')}.${word}`;

function entriesOf(directory: string): readonly { readonly name: string; readonly token: number; readonly word: string }[] {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names.flatMap((name) => {
    const [, token, word] = FILE.exec(name) ?? [];
    return token === undefined || word === undefined ? [] : [{ name, token: Number(token), word }];
  });
}

/** Who holds it, or held it last; nothing when nobody ever did. */
export function viewLock(directory: string): LockView | undefined {
  const entries = entriesOf(directory);
  const token = Math.max(0, ...entries.filter(({ word }) => word === 'json').map((one) => one.token));
  if (token === 0) return undefined;
  const has = (word: string): boolean => entries.some((one) => one.token === token && one.word === word);
  return { token, record: recordIn(join(directory, nameOf(token, 'json'))), isReleased: has('released'), isRevoked: has('revoked') };
}

function recordIn(path: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(readWhole(path));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the lock if it is free or `mayTake` says that its holder does not count any more; otherwise says who holds it. */
export function takeLock(
  directory: string,
  record: JsonObject,
  mayTake: (view: LockView) => boolean,
): { readonly lock: NumberedLock } | { readonly heldBy: LockView } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (;;) {
    const view = viewLock(directory);
    if (view !== undefined && !view.isReleased && !mayTake(view)) return { heldBy: view };
    const token = (view?.token ?? 0) + 1;
    if (!makeWhole(join(directory, nameOf(token, 'json')), JSON.stringify(record))) continue;
    // The number that we made may be one that was cleared away a moment ago, after somebody took a higher one.
    if (viewLock(directory)?.token !== token) {
      rmSync(join(directory, nameOf(token, 'json')), { force: true });
      continue;
    }
    for (const one of entriesOf(directory)) if (one.token < token) rmSync(join(directory, one.name), { force: true });
    return { lock: lockOf(directory, token) };
  }
}

/** A lock that was taken before, by its token. */
export function lockOf(directory: string, token: number): NumberedLock {
  return {
    token,
    isHeld() {
      try {
        const view = viewLock(directory);
        return view !== undefined && view.token === token && !view.isReleased && !view.isRevoked;
      } catch {
        return false;
      }
    },
    release: () => mark(directory, token, 'released'),
  };
}

/** Says that a token counts no more, without freeing the lock: its holder may be stopped in the middle of something. */
export function revokeLock(directory: string, token: number): void {
  mark(directory, token, 'revoked');
}

function mark(directory: string, token: number, word: string): void {
  writeFileSync(join(directory, nameOf(token, word)), '', { mode: 0o600 });
}
