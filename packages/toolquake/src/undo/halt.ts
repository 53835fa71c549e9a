/** The halt of this host: nothing starts until a person says that it may. It outlives every process, and a restart. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, ToolquakeError } from '@toolquake/sdk/core';
import { notWritable } from './append-line.js';
import { stateDirectory } from './state-directory.js';
import { readWhole } from './whole-file.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What is known of a halt. `codeHash`: of the code that only the person who halted has seen. */
export type Halt = { readonly why: string; readonly at: string; readonly codeHash: string | undefined };

const pathOf = (env: Env): string => join(stateDirectory(env), 'halt.json');
const hashOf = (code: string): string => createHash('sha256').update(code.trim()).digest('hex');

/** The halt, if there is one. What cannot be read is a halt: in doubt nothing is broken. */
export function readHalt(env: Env): Halt | undefined {
  try {
    const value: unknown = JSON.parse(readWhole(pathOf(env)));
    if (!isObject(value)) throw new Error('it is not an object');
    const { why, at, codeHash } = value;
    return {
      why: typeof why === 'string' ? why : 'no reason was given',
      at: typeof at === 'string' ? at : 'an unknown time',
      codeHash: typeof codeHash === 'string' ? codeHash : undefined,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const problem = error instanceof Error ? error.message : String(error);
    return { why: `whether this host is halted cannot be read: ${problem}`, at: 'an unknown time', codeHash: undefined };
  }
}

/** Halts this host. Resolves to nothing once it is on disk; halting twice keeps the newer reason, and a code that was given. */
export function halt(env: Env, why: string, code?: string): void {
  const path = pathOf(env);
  const codeHash = code === undefined ? readHalt(env)?.codeHash : hashOf(code);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify({ why, at: new Date().toISOString(), ...(codeHash === undefined ? {} : { codeHash }) })}\n`, {
      mode: 0o600,
    });
    const descriptor = openSync(draft, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw notWritable(path, cause);
  }
}

/** Whether this is the code that the person who halted was given. */
export function isCodeOf({ codeHash }: Halt, code: string): boolean {
  if (codeHash === undefined) return false;
  const [one, other] = [Buffer.from(codeHash), Buffer.from(hashOf(code))];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Lets experiments start again. Only for what a person decided. */
export function clearHalt(env: Env): void {
  rmSync(pathOf(env), { force: true });
}

/** Refuses to start anything while this host is halted. */
export function refuseWhileHalted(env: Env): void {
  const found = readHalt(env);
  if (found === undefined) return;
  throw new ToolquakeError('NOT_ALLOWED', {
    message: `This host is halted since ${found.at}: ${found.why}. Nothing was started.`,
    advice: 'A person lets experiments run again with "toolquake resume".',
  });
}
