/** Records what a client and a stdio server say to each other. The proxy relays; we only listen. */
import type { Readable } from 'node:stream';
import { describeProblem, MAX_FRAME_BYTES, type Direction } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { createLineFramer } from '../proxies/line-framing.js';
import type { ProcessEnd } from '../proxies/stdio-server.js';
import { createRecorder, type Recorder } from '../recordings/recorder.js';
import { proxyStdio, type ProxyStdioOptions } from './proxy-stdio.js';
import { createAfterwards } from './afterwards.js';
import { openRecording, runName } from './recording-file.js';

/** What recording needs to know. */
export type RecordStdioOptions = Pick<ProxyStdioOptions, 'command' | 'env' | 'stdin' | 'stdout' | 'tell'> & {
  readonly outPath: string;
};

/** Resolves to how the server ended. A server that ended well does not hide that its recording did not. */
export async function recordStdio({ outPath, ...options }: RecordStdioOptions): Promise<ProcessEnd & { readonly isComplete: boolean }> {
  const { tell } = options;
  const run = runName();
  const file = openRecording(outPath, run, tell);
  const afterwards = createAfterwards(realClock, (error) => tell(`a message was not recorded: ${describeProblem(error)}`));
  const { clock } = afterwards;
  const record = createRecorder({ clock, transport: 'stdio', run, startedAt: new Date().toISOString(), append: file.append });
  const note: Recorder = (frame) => afterwards.do(frame.bytes.length, () => record(frame));
  const end = await proxyStdio({
    ...options,
    tap: ({ toServer, toClient }) => {
      listen(toServer, 'to-server', note);
      listen(toClient, 'to-client', note);
    },
  }).catch((error: unknown) => {
    file.abandon();
    throw error;
  });
  afterwards.finish();
  await file.close();
  return { ...end, isComplete: file.isComplete() };
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
