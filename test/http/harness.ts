/** Starts what the HTTP tests talk to: a proxy inside the test process, raw clients, and rules that always fire. */
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import {
  createDecider,
  EMPTY_PLAN,
  keyedRandom,
  type Fault,
  type JournalEntry,
  type JsonObject,
  type Plan,
  type Rule,
} from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { startHttpProxy, type HttpProxy, type HttpProxyOptions } from '../../packages/toolquake/src/proxies/http-proxy.js';
import { connectUpstream } from '../../packages/toolquake/src/proxies/http-upstream.js';

/** A rule that always fires, with what a test changes about it. */
export function rule(fault: Fault, change: Partial<Rule> = {}): Rule {
  const params = Object.fromEntries(Object.entries(fault.params).map(([name, spec]) => [name, spec.default]));
  const phase = fault.phases[0] ?? 'pre';
  const filled: Rule = { id: fault.type, fault, params, when: {}, at: {}, probability: 1, shape: { kind: 'iid' }, phase, isEnabled: true };
  return { ...filled, ...change, params: { ...params, ...change.params } };
}

/** A proxy in this process. */
export type Proxied = {
  readonly url: string;
  readonly port: number;
  readonly proxy: HttpProxy;
  readonly journal: JournalEntry[];
  readonly problems: unknown[];
};

/** Starts a proxy in front of a URL, or a forward proxy for `any`. No rules and no journal: it only relays. */
export async function proxied(
  upstream: string,
  rules: readonly Rule[],
  change: Partial<HttpProxyOptions> & { observesAll?: boolean; rewriteHost?: boolean } = {},
): Promise<Proxied> {
  const plan: Plan = { ...EMPTY_PLAN, seed: 42, rules };
  const journal: JournalEntry[] = [];
  const problems: unknown[] = [];
  const startedAtMs = realClock.nowMs();
  const proxy = await startHttpProxy({
    upstream:
      upstream === 'any' ? 'any' : connectUpstream(new URL(upstream), { rewriteHost: change.rewriteHost === true, tell: change.tell }),
    host: '127.0.0.1',
    port: 0,
    decider: createDecider({
      plan,
      random: keyedRandom(plan.seed),
      transport: 'http',
      startedAtMs,
      observesAll: change.observesAll ?? rules.length > 0,
    }),
    clock: realClock,
    startedAtMs,
    operationKey: new Uint8Array(16),
    journal: (entry) => journal.push(entry),
    onProblem: (error) => problems.push(error),
    ...change,
  });
  const path = upstream === 'any' ? '' : new URL(upstream).pathname;
  return { url: `http://127.0.0.1:${proxy.address.port}${path}`, port: proxy.address.port, proxy, journal, problems };
}

/** What a raw client got. */
export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly chunks: readonly Buffer[];
};

const ACCEPT = 'application/json, text/event-stream';

/** Posts one message over a connection of its own and reads the whole answer. Rejects with the socket's own error. */
export async function post(
  url: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Reply> {
  const response = await open(url, 'POST', JSON.stringify(message), headers, signal);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString(), chunks };
}

/** Sends a request and resolves with the response as soon as it begins. */
export function open(
  url: string,
  method: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', accept: ACCEPT, ...headers };
    const out = request(
      url,
      { method, headers: all, agent: new Agent({ keepAlive: false }), ...(signal === undefined ? {} : { signal }) },
      resolve,
    );
    out.once('error', reject);
    out.end(body);
  });
}

/** A tool call. */
export const call = (id: number, name: string, args: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** The same call as the modern era has it. */
export const modernCall = (id: number, name: string, args: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name,
    arguments: args,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
    },
  },
});

/** How a legacy client says hello. */
export const initialize = (id = 0): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
});

/** The messages of an answer, whichever of the two forms it came in. */
export function messagesOf(body: string): JsonObject[] {
  if (body.startsWith('{')) return [JSON.parse(body) as JsonObject];
  return body
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as JsonObject);
}

/** The text of a tool result. */
export function textOf(message: JsonObject | undefined): string | undefined {
  const result = message?.['result'] as { content?: { text?: string }[] } | undefined;
  return result?.content?.[0]?.text;
}

/** States of the faults in a journal. */
export const statesOf = (journal: readonly JournalEntry[]): string[] =>
  journal.flatMap((entry) => (entry.kind === 'fault' ? [entry.why === undefined ? entry.state : `${entry.state}: ${entry.why}`] : []));
