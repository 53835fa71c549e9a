/** Connects as the server under test would: from inside its network namespace, as its user. The only proof that counts. */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { isObject } from '@toolquake/sdk/core';
import { openNamespace, type NamespaceFacts } from './namespace.js';
import { commandPath } from './trusted-command.js';

/** From where. */
export type Viewpoint = { readonly namespace: NamespaceFacts | undefined; readonly uid: number | undefined };

/** How it went. `unknown`: nobody could try from there. */
export type ConnectEnd = 'connected' | 'refused' | 'reset' | 'timeout' | 'unreachable' | 'unknown';

/** What was seen. `roundMs`: from our end of the stream to theirs, the one round trip that every protocol knows; null when they kept silent. */
export type Connected = { readonly end: ConnectEnd; readonly connectMs: number; readonly roundMs: number | null; readonly why: string };

/** How it is looked. `isPoking`: a line break is sent first, because a relay holds back bytes and not their end. */
export type Look = { readonly timeoutMs: number; readonly isPoking?: boolean | undefined; readonly signal?: AbortSignal | undefined };

// Runs in a process of its own: a whole program in plain JavaScript, whose three arguments are data.
const PROGRAM = `
const [host, port, timeoutMs, poke] = process.argv.slice(1);
const startedAt = performance.now();
let connectMs = -1, endedAt = 0;
const tell = (end, roundMs, why) => { process.stdout.write(JSON.stringify({ end, connectMs, roundMs, why })); process.exit(0); };
const socket = require('node:net').connect({ host, port: Number(port), allowHalfOpen: true });
socket.on('connect', () => { connectMs = performance.now() - startedAt; endedAt = performance.now(); socket.end(poke); });
socket.on('data', () => {});
socket.on('end', () => tell('connected', performance.now() - endedAt, ''));
socket.on('error', (error) => {
  if (connectMs >= 0) return tell(error.code === 'ECONNRESET' ? 'reset' : 'unreachable', null, error.code);
  tell({ ECONNREFUSED: 'refused', ECONNRESET: 'reset', ETIMEDOUT: 'timeout' }[error.code] ?? 'unreachable', null, error.code);
});
setTimeout(() => tell(connectMs >= 0 ? 'connected' : 'timeout', null, ''), Number(timeoutMs));
`;

/** Starting a program takes this long at most, besides the time that the connection may take. */
const START_MS = 5000;

/** Never rejects: what cannot be tried is `unknown`, with the reason. */
export async function connectWithin(
  from: Viewpoint,
  to: { readonly address: string; readonly port: number },
  { timeoutMs, isPoking = false, signal }: Look,
): Promise<Connected> {
  const program = [process.execPath, '-e', PROGRAM, to.address, String(to.port), String(timeoutMs), isPoking ? '\n' : ''];
  let descriptor: number | undefined;
  try {
    const argv = [...program];
    if (from.namespace !== undefined) {
      const nsenter = commandPath('nsenter');
      if (nsenter === undefined) return unknown('nsenter is not there');
      descriptor = openNamespace(from.namespace);
      const user = from.uid === undefined ? [] : ['--setuid', String(from.uid), '--setgid', String(from.uid)];
      argv.unshift(nsenter, '--net=/proc/self/fd/3', ...user, '--');
    }
    const user = from.namespace === undefined && from.uid !== undefined ? { uid: from.uid, gid: from.uid } : {};
    return await tried(argv, { user, descriptor, timeoutMs: timeoutMs + START_MS, signal });
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const unknown = (why: string): Connected => ({ end: 'unknown', connectMs: -1, roundMs: null, why });

type Trial = {
  readonly user: { readonly uid?: number; readonly gid?: number };
  readonly descriptor: number | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
};

function tried([file = '', ...args]: readonly string[], { user, descriptor, timeoutMs, signal }: Trial): Promise<Connected> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: { LC_ALL: 'C' },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'ignore', ...(descriptor === undefined ? [] : [descriptor])],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...user,
      ...(signal === undefined ? {} : { signal }),
    });
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', (more: string) => (text += more));
    child.on('error', (error) => resolve(unknown(error.message)));
    child.on('close', () => resolve(parsed(text)));
  });
}

function parsed(text: string): Connected {
  try {
    const value: unknown = JSON.parse(text);
    // Our own program wrote it.
    return isObject(value) ? (value as Connected) : unknown('it said nothing');
  } catch {
    return unknown('it ended without a word');
  }
}

/** `refused after 1 ms`. */
export function connectedText({ end, connectMs, roundMs, why }: Connected): string {
  if (end === 'unknown') return `nobody could try (${why})`;
  if (end !== 'connected') return end;
  return `connected in ${Math.round(connectMs)} ms${roundMs === null ? '' : `, a round trip of ${Math.round(roundMs)} ms`}`;
}
