/** Starts the proxy of a run before its target, and hears of every call that passes it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isObject, ToolquakeError, type JournalEntry, type JsonObject } from '@toolquake/sdk/core';
import type { Front, WorkerHandle } from '../actions/action.js';
import type { ConfiguredTarget } from '../config/configured-target.js';

/** The variable that holds the token of the front's admin routes, for the run, its warden and nobody else. */
export const FRONT_TOKEN_VARIABLE = 'TOOLQUAKE_FRONT_TOKEN';

/** A token for one run. */
export const frontToken = (): string => randomBytes(24).toString('base64url');

/** What starting needs. */
export type OpenFrontOptions = {
  readonly upstream: ConfiguredTarget;
  readonly port: number;
  readonly seed: number;
  readonly runDirectory: string;
  readonly token: string;
  startWorker(role: string, config: JsonObject): Promise<WorkerHandle>;
  /** A call that passed, as the journal of the proxy has it. */
  readonly onCall: (entry: JournalEntry) => void;
  readonly tell: (line: string) => void;
};

/** A running front, and the target as it is seen through it. */
export type OpenFront = { readonly front: Front; readonly target: ConfiguredTarget; readonly worker: WorkerHandle };

/** Resolves when it listens. */
export async function openFront(options: OpenFrontOptions): Promise<OpenFront> {
  const { upstream, port, seed, runDirectory, token, tell } = options;
  const { target } = upstream;
  if (target.kind !== 'url') {
    throw new ToolquakeError('IMPOSSIBLE', {
      message: `${target.name} is a server on stdio: every caller starts one of its own, so no proxy can stand before all of them.`,
      advice: 'Put "toolquake proxy stdio --admin-port PORT" into the config of your client, and name its adminUrl in the action.',
    });
  }
  const worker = await options.startWorker('front', {
    upstream: target.url,
    port,
    seed,
    target: target.name,
    journalPath: join(runDirectory, 'front.jsonl'),
    token,
  });
  let calls = 0;
  let delivered = 0;
  const listening = new Promise<{ url: string; adminUrl: string }>((resolve, reject) => {
    worker.onMessage((message) => {
      if (message['kind'] === 'listening') resolve({ url: String(message['url']), adminUrl: String(message['adminUrl']) });
      else if (message['kind'] === 'note') tell(`front: ${String(message['text'])}`);
      else if (message['kind'] === 'entry' && isObject(message['entry'])) {
        const { entry } = message;
        if (entry['kind'] === 'problem') return tell(`front: ${String(entry['message'])}`);
        calls++;
        if (Array.isArray(entry['faults'])) delivered++;
        // Our own worker wrote it, from its own journal.
        options.onCall(entry as unknown as JournalEntry);
      }
    });
    void worker.ended.then(() =>
      reject(
        new ToolquakeError('UPSTREAM_UNREACHABLE', {
          message: `The proxy before ${target.name} could not be started.`,
          advice: `Is port ${port} free? Its last words stand in ${runDirectory}.`,
        }),
      ),
    );
  });
  worker.go();
  const { url, adminUrl } = await listening;
  return {
    front: { url, adminUrl, adminTokenVariable: FRONT_TOKEN_VARIABLE, counts: () => ({ calls, delivered }) },
    target: { ...upstream, target: { ...target, url } },
    worker,
  };
}
