/** A recording as a stdio server. With a plan or a journal, the stdio proxy stands in front of it, as before any server. */
import type { Readable, Writable } from 'node:stream';
import { MAX_FRAME_BYTES, rpcError } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { createLineFramer } from '../proxies/line-framing.js';
import { createReplay, type Outlet, type ReplayOptions } from '../recordings/replay.js';
import { createSceneBook } from '../recordings/scene-book.js';
import { readRecording } from './recording-file.js';

/** What a replay needs to know. */
export type ReplayStdioOptions = Pick<ReplayOptions, 'timing' | 'exhausted' | 'tell'> & {
  readonly path: string;
  readonly stdin: () => Readable;
  readonly stdout: () => Writable;
  /** Ends the replay. */
  readonly signal: AbortSignal;
};

/** Resolves when the client is done: how many of its requests were not in the recording. */
export async function replayStdio(options: ReplayStdioOptions): Promise<{ readonly unmatched: number }> {
  const { tell, signal } = options;
  const book = createSceneBook(await readRecording(options.path));
  if (book.unanswered > 0) tell(`${book.unanswered} recorded requests have no answer and are left out.`);
  const replay = createReplay({ ...options, book, clock: realClock });
  const stdin = options.stdin();
  const stdout = options.stdout();

  const write = (text: string): void => {
    if (stdout.destroyed || stdout.write(`${text}\n`)) return;
    // A client that does not read is not read from.
    stdin.pause();
    stdout.once('drain', () => stdin.resume());
  };
  const connection = replay.connect(write);
  const outlet: Outlet = {
    begin() {},
    accept() {},
    say: write,
    answer: write,
    reply({ status }, id) {
      tell(`HTTP status ${status} was recorded, which pipes do not have: an error takes its place.`);
      write(JSON.stringify(rpcError(id, -32603, 'Internal error')));
    },
    // Recorded over HTTP: one connection of many. Here it is the only one.
    cut: () => tell('a connection that broke was recorded: its call gets no answer.'),
  };
  const framer = createLineFramer(
    {
      wants: () => true,
      line(bytes) {
        const text = Buffer.from(bytes).toString();
        if (text.trim() !== '') receive(text);
        return 'taken';
      },
      oversized() {
        write(JSON.stringify(rpcError(null, -32600, 'Invalid Request')));
        return 'taken';
      },
      pass: () => {},
    },
    MAX_FRAME_BYTES,
  );
  const receive = (text: string): void => {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      write(JSON.stringify(rpcError(null, -32700, 'Parse error')));
      return;
    }
    connection.receive(message, outlet);
  };

  const ended = new Promise<void>((resolve) => {
    stdin.on('data', (chunk: Uint8Array) => framer.push(chunk));
    stdin.once('end', () => {
      framer.end();
      resolve();
    });
    stdin.once('error', () => resolve());
    stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  connection.open();
  await ended;
  if (signal.aborted || stdout.destroyed) replay.stop();
  // Answers that are on their way still reach a client that closed its side in good order.
  await replay.whenIdle();
  stdin.destroy();
  return { unmatched: replay.unmatched };
}
