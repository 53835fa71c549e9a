/** The proxy that a run puts before its target: a process of its own, so that it ends with the run and never stalls it. */
import type { JsonObject } from '@toolquake/sdk/core';
import { defineWorker } from '../workers/worker.js';
import { proxyHttp } from './proxy-http.js';

/** The header by which our own callers say who they are, so that each of their calls is found in the journal again. */
export const CALLER_HEADER = 'x-toolquake-caller';

/** What the role is given. The token of the admin routes comes over the pipe: it stands in no argument and in no file. */
export type FrontConfig = {
  readonly upstream: string;
  readonly port: number;
  readonly seed: number;
  readonly target: string;
  readonly journalPath: string;
  readonly token: string;
};

/** Says `listening` with its URLs, and then tells of every call. */
export const front = defineWorker({
  role: 'front',
  summary: 'Relays calls to the target, and lets the run inject faults into them.',
  async run(config, { env, signal, emit }) {
    const { upstream, port, seed, target, journalPath, token } = config as FrontConfig;
    await proxyHttp({
      upstream,
      host: '127.0.0.1',
      port,
      seed,
      target,
      journalPath,
      adminPort: 0,
      labelHeader: CALLER_HEADER,
      env: { ...env, TOOLQUAKE_ADMIN_TOKEN: token },
      signal,
      tell: (text) => emit({ kind: 'note', text }),
      onEntry: (entry) => {
        if (entry.kind === 'call' || entry.kind === 'problem') emit({ kind: 'entry', entry: entry as JsonObject });
      },
      onListening: ({ url, adminUrl }) => emit({ kind: 'listening', url, adminUrl: adminUrl ?? '' }),
    });
  },
});
