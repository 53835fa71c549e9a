/** Runs the command line of a process manager to its end: words, never a shell; bounded in time and size. */
import { execFile } from 'node:child_process';
import { ToolquakeError } from '@toolquake/sdk/core';
import type { ManagerWorld } from './process-manager.js';

/** What came of it. */
export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const BUDGET_MS = 30_000;

/** Rejects only when the program cannot be started, was stopped, or did not end: an exit code is an answer. */
export function runProgram(program: string, words: readonly string[], { env, signal }: ManagerWorld): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...env }, signal, timeout: BUDGET_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    const child = execFile(program, [...words], { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr });
      if (typeof error.code === 'number') return resolve({ code: error.code, stdout, stderr });
      reject(startFailure(program, words, error));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}

function startFailure(program: string, words: readonly string[], error: Error & { readonly code?: unknown }): ToolquakeError {
  const call = [program, ...words].join(' ');
  if (error.code === 'ENOENT' || error.code === 'EACCES') {
    return new ToolquakeError('COMMAND_NOT_FOUND', {
      message: `"${call}" cannot be run: there is no program "${program}" on the PATH.`,
      advice: `Install it, or put its folder on the PATH of the command that you started.`,
    });
  }
  // The error of Node holds what the program printed, and that can hold the environment of a server: it is not passed on.
  const why = error.name === 'AbortError' ? 'it was stopped' : 'it did not end in time, or printed too much';
  return new ToolquakeError('UPSTREAM_UNREACHABLE', { message: `"${call}" gave no answer: ${why}.` });
}
