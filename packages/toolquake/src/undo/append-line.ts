/** Writes one line of a ledger, and resolves when it is on disk: only then may what it speaks of be done. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import type { FaultPoints } from './fault-points.js';
import { ledgerLineText, type LedgerLine } from './ledger-line.js';

/** The name of a line among the fault points. */
const pointOf = (line: LedgerLine): string => ('step' in line ? `${line.kind} ${line.step}` : line.kind);

/** Makes the file of a new ledger with its first line. Rejects if there is one already. */
export async function createLedgerFile(path: string, line: LedgerLine, points: FaultPoints): Promise<void> {
  await write(path, constants.O_CREAT | constants.O_EXCL, line, points);
  // The folders of a run are new as well. Those above may belong to others.
  for (let folder = dirname(path), depth = 0; depth < 4; folder = dirname(folder), depth++) await syncDirectory(folder).catch(() => {});
}

/** Appends. Runner, warden and sweep may do so at the same time: a line is one write, so lines never mix. */
export function appendLine(path: string, line: LedgerLine, points: FaultPoints): Promise<void> {
  return write(path, 0, line, points);
}

async function write(path: string, flags: number, line: LedgerLine, points: FaultPoints): Promise<void> {
  const point = pointOf(line);
  points.pass(`${point} before`);
  try {
    const handle = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | flags, 0o600);
    try {
      const text = (await endsTorn(handle)) ? `\n${ledgerLineText(line)}` : ledgerLineText(line);
      const bytes = Buffer.from(text);
      const half = points.isDeadly(`${point} torn`) ? bytes.length >> 1 : 0;
      if (half > 0) await writeAll(handle, bytes.subarray(0, half));
      points.pass(`${point} torn`);
      await writeAll(handle, bytes.subarray(half));
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw notWritable(path, cause);
  }
  points.pass(`${point} after`);
}

/** A full disk may take half of a line and refuse the rest. */
async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, from, bytes.length - from);
    from += bytesWritten;
  }
}

/** Whoever wrote before us may have been killed in the middle of a line; ours must not be glued to it. */
async function endsTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}

/** A file is only there for sure when its name is on disk too. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What every failure to write down becomes: nothing may be changed after it. */
export function notWritable(path: string, cause: unknown): ToolquakeError {
  return new ToolquakeError('NOT_WRITABLE', {
    message: `The undo cannot be written to ${path}: ${cause instanceof Error ? cause.message : String(cause)}. So nothing was changed.`,
    advice: 'Make room there, or make it writable.',
    cause,
  });
}
