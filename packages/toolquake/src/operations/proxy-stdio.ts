/** Runs the stdio proxy for as long as its server lives, and mirrors how the server ended. */
import type { Readable } from 'node:stream';
import { startServer, type ProcessEnd } from '../proxies/stdio-server.js';
import { INSIST_AFTER_MS, startStdioProxy } from '../proxies/stdio-proxy.js';
import { forwardSignals, TYPED_SIGNALS } from './forward-signals.js';
import { loadRun } from './load-run.js';
import { realClock } from '@toolquake/sdk/interceptors';

/** What the proxy needs to know. */
export type ProxyStdioOptions = {
  readonly command: readonly string[];
  readonly planPath?: string | undefined;
  readonly journalPath?: string | undefined;
  readonly runDirectory?: string | undefined;
  readonly seed?: number | undefined;
  readonly adminPort?: number | undefined;
  readonly label?: string | undefined;
  readonly target?: string | undefined;
  readonly isStrict?: boolean | undefined;
  readonly maxFrameBytes?: number | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The client's side. Functions, because merely opening stdin would take bytes away from a server that inherits it. */
  readonly stdin: () => NodeJS.ReadStream;
  readonly stdout: () => NodeJS.WriteStream;
  /** One line for people, on stderr. */
  readonly tell: (line: string) => void;
  /** Listens to both sides without touching them; then the proxy never stands aside. */
  readonly tap?: ((streams: { readonly toServer: Readable; readonly toClient: Readable }) => void) | undefined;
};

/** Resolves to how the server ended; strictness may have ended it as a failure. */
export async function proxyStdio(options: ProxyStdioOptions): Promise<ProcessEnd> {
  const run = await loadRun({ transport: 'stdio', ...options });
  if (!run.decider.isActive && options.tap === undefined) return standAside(options.command);

  const server = await startServer(options.command, 'pipe').catch((error: unknown) => {
    run.abandon();
    throw error;
  });
  const stdin = options.stdin();
  // In the same turn as the proxy's own listeners: both hear every byte.
  if (server.child.stdout !== null) options.tap?.({ toServer: stdin, toClient: server.child.stdout });
  const proxy = startStdioProxy({ ...options, ...run, server, stdin, stdout: options.stdout() });
  run.control(proxy.performer);
  const stopForwarding = forwardSignals((name) => proxy.signal(name));
  const { isFailed, ...end } = await proxy.finished;
  stopForwarding();
  await run.finish(proxy.performer);
  if (!isFailed) return end;
  options.tell('--strict: the session was ended because of our own mistake.');
  return { code: 1, signal: null };
}

/** Nothing to inject and nothing to observe: the server gets the client's pipes themselves, so there is nothing to slow down. */
async function standAside(command: readonly string[]): Promise<ProcessEnd> {
  const server = await startServer(command, 'inherit');
  const stopForwarding = forwardSignals((name) => {
    // It has this one already; whoever means a server at a terminal from elsewhere has SIGTERM.
    if (server.sharesTerminal && TYPED_SIGNALS.includes(name)) return;
    server.signal(name);
    // We cannot see whether the client is gone, so there is no deadline of ours: the server ends when we are made to.
    if (name === 'SIGTERM') server.followUs(realClock);
  });
  const end = await server.exited;
  await server.settle(realClock, INSIST_AFTER_MS);
  stopForwarding();
  return end;
}
