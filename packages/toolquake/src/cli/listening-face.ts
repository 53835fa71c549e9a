/** Says where something listens: to people on stderr, and to programs as one line of JSON on stdout. */
import type { CommandIo } from './command.js';

/** `role` says what listens there. */
export function listeningFace(io: CommandIo, isJson: boolean, role: string) {
  return (listening: { readonly url: string; readonly port: number }): void => {
    io.stderr.write(`toolquake: listening on ${listening.url}, ${role}\n`);
    if (isJson) io.stdout.write(`${JSON.stringify({ kind: 'listening', ...listening })}\n`);
  };
}
