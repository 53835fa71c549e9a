/** Records what a client and a stdio server say to each other. The proxy relays; we only listen. */
import type { Readable } from 'node:stream';
import { MAX_FRAME_BYTES, type Direction } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { createLineFramer } from '../proxies/line-framing.js';
import type { ProcessEnd } from '../proxies/stdio-server.js';
import { createRecorder, type Recorder } from '../recordings/recorder.js';
import { proxyStdio, type ProxyStdioOptions } from './proxy-stdio.js';
import { openRecording } from './recording-file.js';

/** What recording needs to know. */
export type RecordStdioOptions = Pick<ProxyStdioOptions, 'command' | 'env' | 'stdin' | 'stdout' | 'tell'> & {
  readonly outPath: string;
};

/** Resolves to how the server ended. */
export async function recordStdio({ outPath, ...options }: RecordStdioOptions): Promise<ProcessEnd> {
  // Two processes may append to one file: some clients start a server command twice.
  const run = `${process.pid}-${Date.now().toString(36)}`;
  const file = openRecording(outPath, run, options.tell);
  const record = createRecorder({ clock: realClock, transport: 'stdio', run, startedAt: new Date().toISOString(), append: file.append });
  const end = await proxyStdio({
    ...options,
    tap: ({ toServer, toClient }) => {
      listen(toServer, 'to-server', record);
      listen(toClient, 'to-client', record);
    },
  }).catch((error: unknown) => {
    file.abandon();
    throw error;
  });
  await file.close();
  return end;
}

function listen(source: Readable, direction: Direction, record: Recorder): void {
  const framer = createLineFramer(
    {
      wants: () => true,
      line(bytes) {
        record({ direction, bytes });
        // Kept back from nobody: what the framer would pass on goes nowhere.
        return 'taken';
      },
      oversized(prefix) {
        record({ direction, bytes: prefix, isTooLarge: true });
        return 'taken';
      },
      pass: () => {},
    },
    MAX_FRAME_BYTES,
  );
  source.on('data', (chunk: Uint8Array) => framer.push(chunk));
  source.on('end', () => framer.end());
}
