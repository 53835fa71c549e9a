/** Runs the HTTP proxy until it is told to stop. */
import { isIP } from 'node:net';
import { ToolquakeError, type JournalSink } from '@toolquake/sdk/core';
import { startHttpProxy, type HttpProxyOptions } from '../proxies/http-proxy.js';
import { connectUpstream } from '../proxies/http-upstream.js';
import { loadRun } from './load-run.js';

/** What the proxy needs to know. */
export type ProxyHttpOptions = {
  /** `reverse` stands in front of one server; `forward` leads to whatever server a client names. */
  readonly mode?: string | undefined;
  /** The server; only in reverse mode, where it is required. */
  readonly upstream?: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly planPath?: string | undefined;
  readonly journalPath?: string | undefined;
  readonly runDirectory?: string | undefined;
  readonly seed?: number | undefined;
  readonly adminPort?: number | undefined;
  readonly labelHeader?: string | undefined;
  readonly target?: string | undefined;
  readonly isStrict?: boolean | undefined;
  readonly rewriteHost?: boolean | undefined;
  readonly maxFrameBytes?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hears of every entry of the journal. */
  readonly onEntry?: JournalSink | undefined;
  /** Listens to what is relayed; only without a plan and without a journal. */
  readonly tap?: HttpProxyOptions['tap'];
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** One line for people, on stderr. */
  readonly tell: (line: string) => void;
  /** The proxy listens; clients can connect to this URL. */
  readonly onListening: (listening: {
    readonly url: string;
    readonly upstream?: string;
    readonly port: number;
    readonly adminUrl?: string;
  }) => void;
};

/** Resolves when the proxy has stopped: because of the signal, or of a mistake of ours under `isStrict`. */
export async function proxyHttp(options: ProxyHttpOptions): Promise<'stopped' | 'failed'> {
  const { host, tell, signal } = options;
  const url = isForward(options) ? undefined : upstreamUrl(options.upstream);
  const run = await loadRun({ transport: 'http', ...options });
  const upstream = url === undefined ? 'any' : connectUpstream(url, { rewriteHost: options.rewriteHost === true, tell });
  const failure = new AbortController();
  const onProblem = (error: unknown): void => {
    run.onProblem(error);
    if (options.isStrict !== true) return;
    failure.abort();
    throw error;
  };
  const taskHeader = run.plan.task.by === 'header' ? run.plan.task.header : undefined;
  const proxy = await startHttpProxy({ ...options, ...run, upstream, onProblem, taskHeader }).catch((error: unknown) => {
    run.abandon();
    throw error;
  });
  run.control(proxy.performer);

  const name = isIP(host) === 6 ? `[${host}]` : host;
  const { port } = proxy.address;
  const admin = run.adminUrl === undefined ? {} : { adminUrl: run.adminUrl };
  if (url === undefined || upstream === 'any') options.onListening({ url: `http://${name}:${port}`, port, ...admin });
  else {
    if (!isLoopback(host))
      tell(`warning: ${host} can be reached from other machines, and whoever reaches it reaches ${url.origin} through it.`);
    // An upstream that ends in a slash is put before every path, so it is no part of the paths that clients use.
    const path = url.pathname.endsWith('/') ? '/' : url.pathname;
    options.onListening({ url: `http://${name}:${port}${path}`, upstream: url.href, port, ...admin });
    if (!(await upstream.isReachable()))
      tell(`warning: nobody listens at ${url.origin} yet; requests get "502 Bad Gateway" until somebody does.`);
  }

  await aborted(AbortSignal.any([signal, failure.signal]));
  await proxy.stop();
  await run.finish(proxy.performer);
  if (!failure.signal.aborted) return 'stopped';
  tell('--strict: the proxy was stopped because of our own mistake.');
  return 'failed';
}

/** Resolves when the signal says so. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** True for forward mode; options that contradict the mode are refused. */
function isForward({ mode = 'reverse', upstream, rewriteHost, host }: ProxyHttpOptions): boolean {
  if (mode !== 'reverse' && mode !== 'forward')
    throw refused(`--mode "${mode}" is unknown.`, 'Use "reverse" (in front of one server) or "forward" (clients name the server).');
  if (mode === 'reverse') {
    if (upstream !== undefined) return false;
    throw refused('--upstream is missing.', 'Give the URL of the MCP endpoint, or let clients name it with --mode forward.');
  }
  if (upstream !== undefined)
    throw refused('--upstream has no meaning with --mode forward.', 'Leave it out: clients say which server they want.');
  if (rewriteHost === true)
    throw refused('--rewrite-host has no meaning with --mode forward.', 'Leave it out: clients name the server already.');
  if (!isLoopback(host))
    throw refused(
      `--host "${host}" can be reached from other machines, and a forward proxy would lead them to wherever this one can go.`,
      'Listen on 127.0.0.1 or ::1, or use --mode reverse.',
    );
  return true;
}

function refused(message: string, advice: string): ToolquakeError {
  return new ToolquakeError('BAD_ARGUMENT', { message, advice });
}

function upstreamUrl(text = ''): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const why =
    url === undefined || !/^https?:\/\//i.test(text)
      ? 'is no http or https URL'
      : url.username !== '' || url.password !== ''
        ? 'carries a user name or password'
        : url.search !== '' || url.hash !== ''
          ? 'carries a query or a fragment'
          : undefined;
  if (url !== undefined && why === undefined) return url;
  // A password must not come back in a message; what is left of the URL is enough to find it.
  const shown = url === undefined || url.password === '' ? text : `${url.protocol}//***@${url.host}${url.pathname}`;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `--upstream "${shown}" ${why}.`,
    advice: 'Give the URL of the MCP endpoint, for example http://127.0.0.1:3001/mcp. The client sends its own credentials in headers.',
  });
}

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
