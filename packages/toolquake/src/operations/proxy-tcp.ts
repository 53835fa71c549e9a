/** Runs the TCP proxy until it is told to stop. */
import { isIP } from 'node:net';
import { ToolquakeError } from '@toolquake/sdk/core';
import { startTcpProxy } from '../proxies/tcp-proxy.js';
import { loadRun } from './load-run.js';
import { aborted, isLoopback } from './proxy-http.js';

/** What the proxy needs to know. */
export type ProxyTcpOptions = {
  readonly upstream: string;
  readonly host: string;
  readonly port: number;
  readonly planPath?: string | undefined;
  readonly journalPath?: string | undefined;
  readonly runDirectory?: string | undefined;
  readonly seed?: number | undefined;
  readonly adminPort?: number | undefined;
  readonly target?: string | undefined;
  readonly isStrict?: boolean | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** One line for people, on stderr. */
  readonly tell: (line: string) => void;
  /** The proxy listens; clients can connect to this address. */
  readonly onListening: (listening: {
    readonly address: string;
    readonly upstream: string;
    readonly port: number;
    readonly adminUrl?: string;
  }) => void;
};

/** Resolves when the proxy has stopped: because of the signal, or of a mistake of ours under `isStrict`. */
export async function proxyTcp(options: ProxyTcpOptions): Promise<'stopped' | 'failed'> {
  const { host, tell, signal } = options;
  const upstream = upstreamAddress(options.upstream);
  const run = await loadRun({ transport: 'tcp', ...options });
  const failure = new AbortController();
  const told = new Set<string>();
  const proxy = await startTcpProxy({
    ...options,
    ...run,
    upstream,
    onUnreachable(why) {
      if (!told.has(why) && told.size < 100) tell(`warning: ${options.upstream} cannot be reached, its clients are reset: ${why}`);
      told.add(why);
    },
    onProblem(error) {
      run.onProblem(error);
      if (options.isStrict !== true) return;
      failure.abort();
      throw error;
    },
  }).catch((error: unknown) => {
    run.abandon();
    throw error;
  });
  run.control(proxy.performer);
  if (!isLoopback(host))
    tell(`warning: ${host} can be reached from other machines, and whoever reaches it reaches ${options.upstream} through it.`);
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const { port } = proxy.address;
  const admin = run.adminUrl === undefined ? {} : { adminUrl: run.adminUrl };
  options.onListening({ address: `${name}:${port}`, upstream: options.upstream, port, ...admin });

  await aborted(AbortSignal.any([signal, failure.signal]));
  await proxy.stop();
  await run.finish(proxy.performer);
  if (!failure.signal.aborted) return 'stopped';
  tell('--strict: the proxy was stopped because of our own mistake.');
  return 'failed';
}

/** HOST:PORT, with an IPv6 address in brackets. */
function upstreamAddress(text: string): { readonly host: string; readonly port: number } {
  const [, ipv6, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  if (host !== undefined && port >= 1 && port <= 65_535 && (ipv6 === undefined || isIP(ipv6) === 6)) return { host, port };
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: text.includes('@') ? '--upstream is no HOST:PORT.' : `--upstream "${text}" is no HOST:PORT.`,
    advice: 'Give a name or an address and a port, for example 127.0.0.1:6379 or [::1]:5432.',
  });
}
