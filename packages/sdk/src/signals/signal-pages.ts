/** Signals over HTTP: `/metrics`, `/health` and `/ready` as a function from request to response, for any server. */
import { METRICS_CONTENT_TYPE } from '../core/metrics-text.js';
import type { Signals } from './create-signals.js';

type Page = { readonly status: number; readonly type: string; readonly body: string };
const JSON_TYPE = 'application/json; charset=utf-8';

const jsonPage = (status: number, body: unknown): Page => ({ status, type: JSON_TYPE, body: `${JSON.stringify(body)}\n` });
const healthPage = (report: { readonly status: string }): Page => jsonPage(report.status === 'ok' ? 200 : 503, report);

async function pageOf(signals: Signals, path: string, accept: string): Promise<Page | undefined> {
  if (path === '/metrics.json' || (path === '/metrics' && /\bapplication\/json\b/i.test(accept))) return jsonPage(200, signals.snapshot());
  if (path === '/metrics') return { status: 200, type: METRICS_CONTENT_TYPE, body: signals.metrics() };
  if (path === '/health') return healthPage(await signals.health());
  if (path === '/ready') return healthPage(await signals.ready());
  return undefined;
}

/** A response to a request for one of the pages; undefined for every other request. */
export async function answerSignals(signals: Signals, request: Request): Promise<Response | undefined> {
  const page = await pageOf(signals, new URL(request.url).pathname, request.headers.get('accept') ?? '');
  if (page === undefined) return undefined;
  if (!isRead(request.method)) return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
  return new Response(request.method === 'HEAD' ? null : page.body, { status: page.status, headers: headersOf(page) });
}

/** The part of Node's request and response that is used. */
export type NodeRequest = {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly accept?: string | undefined };
};
/** See `NodeRequest`. */
export type NodeResponse = { writeHead(status: number, headers: Record<string, string>): unknown; end(body?: string): unknown };

/** The same for `node:http`, Express and Fastify's raw objects: false when the request is for somebody else. */
export async function handleSignals(signals: Signals, request: NodeRequest, response: NodeResponse): Promise<boolean> {
  const [path = '/'] = (request.url ?? '/').split('?');
  const page = await pageOf(signals, path, request.headers.accept ?? '');
  if (page === undefined) return false;
  const method = request.method ?? 'GET';
  if (!isRead(method)) {
    response.writeHead(405, { allow: 'GET, HEAD' });
    response.end();
    return true;
  }
  response.writeHead(page.status, headersOf(page));
  response.end(method === 'HEAD' ? undefined : page.body);
  return true;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';
const headersOf = ({ type }: Page): Record<string, string> => ({ 'content-type': type, 'cache-control': 'no-store' });
