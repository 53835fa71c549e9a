/** A small process that acts on the server when we are killed in a way that leaves us no last word. */
import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Sends a signal to `target` (a process, or a group when negative) if we die before the warden is dismissed: its stdin
 * ends with us, whatever ended us. It lives in a session of its own, so that no signal to our group takes it along.
 * Returns how to dismiss it.
 */
export function startWarden(target: number, signal: NodeJS.Signals): () => void {
  const act = `process.stdin.resume().on('end',()=>{try{process.kill(${target},'${signal}')}catch{}})`;
  const warden: ChildProcess = spawn(process.execPath, ['-e', act], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    windowsHide: true,
  });
  warden.on('error', () => {});
  warden.stdin?.on('error', () => {});
  warden.unref();
  return () => void warden.kill('SIGKILL');
}
