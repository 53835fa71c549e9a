/** Runs the stdio proxy for as long as its server lives, and mirrors how the server ended. */
import { startServer, type ProcessEnd } from '../proxies/stdio-server.js';
import { INSIST_AFTER_MS, startStdioProxy } from '../proxies/stdio-proxy.js';
import { loadRun } from './load-run.js';
import { realClock } from '@toolquake/sdk/interceptors';

/** What the proxy needs to know. */
export type ProxyStdioOptions = {
  readonly command: readonly string[];
  readonly planPath?: string | undefined;
  readonly journalPath?: string | undefined;
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
};

/** What a terminal sends to everybody who shares it when a key is pressed. */
const TYPED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', ...TYPED_SIGNALS];

/** Resolves to how the server ended; strictness may have ended it as a failure. */
export async function proxyStdio(options: ProxyStdioOptions): Promise<ProcessEnd> {
  const run = await loadRun({ transport: 'stdio', ...options });
  if (!run.decider.isActive) return standAside(options.command);

  const server = await startServer(options.command, 'pipe').catch((error: unknown) => {
    run.abandon();
    throw error;
  });
  const proxy = startStdioProxy({ ...options, ...run, server, stdin: options.stdin(), stdout: options.stdout() });
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

function forwardSignals(forward: (name: NodeJS.Signals) => void): () => void {
  const undo = FORWARDED_SIGNALS.map((name) => {
    const listener = (): void => forward(name);
    process.on(name, listener);
    return () => process.off(name, listener);
  });
  return () => {
    for (const one of undo) one();
  };
}
