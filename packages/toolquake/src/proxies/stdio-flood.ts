/** A server that logs more than its client reads: it stands still in the middle of a line, with its pipes open. */
import { spawn } from 'node:child_process';
import type { Clock, Refusal } from '@toolquake/sdk/core';
import { bondedCommand } from './stdio-death-bond.js';
import type { ServerProcess } from './stdio-server.js';

/** What a chatty library says. */
const LINE = 'DEBUG connection pool: 4 of 10 in use, 0 waiting\n';

/** The longest that a stopped server can be asked for; it goes on as soon as the last byte was taken. */
const NOT_BEFORE_MS = 2 ** 31 - 1;

// A process of its own does the writing, as the server would: a full pipe holds it up, and not us.
const WRITE = `const {writeSync}=require('node:fs');const [,line,bytes]=process.argv;
const chunk=Buffer.from(line.repeat(Math.ceil(65536/line.length)));
for(let left=Number(bytes);left>0;)left-=writeSync(2,chunk,0,Math.min(left,chunk.length))`;

/** Writes so many bytes to the stderr that the server shares with us; until they are read the server is stopped. */
export function floodStderr(server: ServerProcess, clock: Clock, bytes: number): Refusal {
  const why = server.freeze(clock, NOT_BEFORE_MS);
  if (why !== undefined) return why;
  const [file = '', ...args] = bondedCommand([process.execPath, '-e', WRITE, LINE, String(bytes)]);
  const writer = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'], windowsHide: true });
  const goOn = (): void => server.thaw();
  writer.once('exit', goOn).once('error', goOn);
  // Whoever ends the server ends its unfinished line.
  void server.exited.then(() => writer.kill('SIGKILL'));
  return undefined;
}
