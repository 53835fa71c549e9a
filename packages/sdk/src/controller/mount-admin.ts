/** Mounts the admin routes of a run in the server of a service, by one line for each kind of server. */
import { readRequestBody } from '../interceptors/auth-body.js';
import { nodeHeaders, peekBody, type NodeRequest, type NodeResponse } from '../interceptors/node-http.js';
import type { AdminResponse } from './admin.js';
import { pourText, textStream } from './pour-text.js';
import type { Run } from './run.js';
import {
  ADMIN_HEADERS,
  createServiceAdmin,
  MAX_ADMIN_BODY_BYTES,
  refused,
  type MountAdminOptions,
  type ServiceAdmin,
  type ServiceRequest,
} from './service-admin.js';

/** For Express, Connect and `node:http`: `app.use(mountNodeAdmin(run))`, before or after a body parser. */
export function mountNodeAdmin(
  run: Run,
  options?: MountAdminOptions,
): (request: NodeRequest, response: NodeResponse, next: () => void) => void {
  const admin = createServiceAdmin(run, options);
  return (request, response, next) => {
    if (!admin.isFor(pathOf(request))) return next();
    const answer = async (): Promise<void> => {
      const { status, headers, body, stream } = await answerNode(admin, request, request.body);
      response.writeHead(status, headers);
      if (stream === undefined) return void response.end(body);
      response.flushHeaders();
      await pourText(stream, response);
    };
    // Nothing is left to tell a client whose connection broke in the middle.
    answer().catch(() => response.destroy());
  };
}

/** What is used of Fastify. */
export type FastifyAdminReply = {
  code(status: number): unknown;
  headers(headers: Readonly<Record<string, string>>): unknown;
  send(body: unknown): unknown;
};

/** For Fastify: `app.addHook('onRequest', mountFastifyAdmin(run))`. */
export function mountFastifyAdmin(
  run: Run,
  options?: MountAdminOptions,
): (request: { readonly raw: NodeRequest; readonly body?: unknown }, reply: FastifyAdminReply) => Promise<unknown> {
  const admin = createServiceAdmin(run, options);
  return async ({ raw, body: parsed }, reply) => {
    if (!admin.isFor(pathOf(raw))) return undefined;
    const { status, headers, body, stream } = await answerNode(admin, raw, parsed);
    reply.code(status);
    reply.headers(headers);
    reply.send(stream === undefined ? body : textStream(stream));
    return reply;
  };
}

/** What is used of Hono's context. `incoming` is there on Node (`@hono/node-server`). */
export type HonoAdminContext = { readonly req: { readonly raw: Request; text(): Promise<string> }; readonly env: unknown };

/** For Hono: `app.use(mountHonoAdmin(run))`. Where the runtime does not tell who calls, nobody is answered without `allowRemote`. */
export function mountHonoAdmin(
  run: Run,
  options?: MountAdminOptions,
): (context: HonoAdminContext, next: () => Promise<void>) => Promise<Response | undefined> {
  const admin = createServiceAdmin(run, options);
  return async ({ req, env }, next) => {
    const { incoming } = (env ?? {}) as { incoming?: NodeRequest };
    const response = await answerWeb(admin, req.raw, incoming?.socket.remoteAddress, () => req.text());
    if (response === undefined) await next();
    return response;
  };
}

/** For any handler from Request to Response: undefined where the request is the service's own. */
export function mountWebAdmin(
  run: Run,
  options?: MountAdminOptions,
): (request: Request, caller?: { readonly remoteAddress?: string | undefined }) => Promise<Response | undefined> {
  const admin = createServiceAdmin(run, options);
  return (request, { remoteAddress } = {}) => answerWeb(admin, request, remoteAddress, () => request.text());
}

const pathOf = ({ originalUrl, url = '/' }: NodeRequest): string => (originalUrl ?? url).split('?')[0]!;

async function answerNode(admin: ServiceAdmin, request: NodeRequest, parsed: unknown): Promise<AdminResponse> {
  const asked = {
    method: request.method ?? 'GET',
    path: pathOf(request),
    headers: pick(nodeHeaders(request)),
    remoteAddress: request.socket.remoteAddress,
  };
  return answerAsked(admin, asked, async () => {
    if (typeof parsed === 'object' && parsed !== null) return JSON.stringify(parsed);
    if (typeof parsed === 'string') return parsed;
    const peeked = await peekBody(request, MAX_ADMIN_BODY_BYTES);
    if (peeked === undefined) return '';
    return peeked.isWhole ? new TextDecoder().decode(peeked.bytes) : undefined;
  });
}

async function answerWeb(
  admin: ServiceAdmin,
  request: Request,
  remoteAddress: string | undefined,
  readText: () => Promise<string>,
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  if (!admin.isFor(pathname)) return undefined;
  const asked: Omit<ServiceRequest, 'body'> = { method: request.method, path: pathname, headers: pick(request.headers), remoteAddress };
  const { status, headers, body, stream } = await answerAsked(admin, asked, () => readWithin(request, readText));
  return new Response(stream === undefined ? body : textStream(stream), { status, headers });
}

/** The text of a body; undefined when it is too large. Where middleware has read it, the host still has it. */
async function readWithin(request: Request, readAgain: () => Promise<string>): Promise<string | undefined> {
  if (request.bodyUsed) return readAgain();
  const frame = await readRequestBody(request, MAX_ADMIN_BODY_BYTES);
  if (frame === undefined) return '';
  return frame.isOpaque ? undefined : new TextDecoder().decode(frame.bytes);
}

async function answerAsked(
  admin: ServiceAdmin,
  asked: Omit<ServiceRequest, 'body'>,
  read: () => Promise<string | undefined>,
): Promise<AdminResponse> {
  const refusal = admin.refusal(asked);
  if (refusal !== undefined) return refusal;
  const body = await read();
  return body === undefined ? refused(413, 'The body is larger than 1 MiB.') : admin.answer({ ...asked, body });
}

function pick(headers: { get(name: string): string | null }): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(ADMIN_HEADERS.map((name) => [name, headers.get(name) ?? undefined]));
}
