/** Opens a connection to a target: dials, finds the era, says hello. */
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { Clock } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { TargetFailure, type Connection, type StageTiming, type TargetNote } from '../core/connection.js';
import { clientInfo } from './client-info.js';
import { converse, stepOf, type Conversation } from './conversation.js';
import { filledIn, openCredential, type Credential, type Variables } from './credential.js';
import { systemResolve, type Dial, type Resolve } from './dial.js';
import type { Speaker } from './eras.js';
import { discover, initialize, type Greeting } from './hello.js';
import { openOrigin, type HttpOrigin } from './http-post.js';
import { createHttpWire, type HttpWireParts } from './http-wire.js';
import { listPages } from './listing.js';
import { paramHeaders } from './param-headers.js';
import { openSseWire } from './sse-wire.js';
import { createStageLog, type StageLog } from './stage-log.js';
import { openStdioWire } from './stdio-wire.js';
import { budgetsOf, type Budgets, type CommandTarget, type TargetDefinition, type UrlTarget } from './target.js';

/** What a connection needs of the world; the real one unless told otherwise. */
export type OpenOptions = {
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly budgets?: Partial<Budgets> | undefined;
  /** The environment: for secrets, and for a server that is started. */
  readonly env?: Variables | undefined;
  readonly resolve?: Resolve | undefined;
  readonly wallClockMs?: (() => number) | undefined;
  /** Hears of the stages as they are timed; of a failed dial they are all that is left. */
  readonly onStages?: ((stages: readonly StageTiming[]) => void) | undefined;
};

type World = Required<Omit<OpenOptions, 'signal' | 'budgets' | 'onStages'>> & {
  readonly signal: AbortSignal | undefined;
  readonly budgets: Budgets;
  readonly log: StageLog;
};

type Opened = {
  readonly conversation: Conversation;
  readonly greeting: Greeting;
  readonly notes: readonly TargetNote[];
  readonly credentialEndsAtMs?: number | undefined;
};

/** Rejects with a `TargetFailure` that has a reason and a step, or with the reason of the signal. Close what it resolves to. */
export async function openConnection(target: TargetDefinition, options: OpenOptions = {}): Promise<Connection> {
  const { clock = realClock } = options;
  const log = createStageLog(clock);
  const world: World = {
    clock,
    signal: options.signal,
    budgets: budgetsOf(target, options.budgets),
    env: options.env ?? process.env,
    resolve: options.resolve ?? systemResolve,
    wallClockMs: options.wallClockMs ?? Date.now,
    log,
  };
  options.onStages?.(log.timings);
  const opened = await (target.kind === 'url' ? openUrl(target, world) : openCommand(target, world));
  return connectionOf(target, opened, world);
}

const UNDECIDED: Omit<Speaker, 'clientInfo'> = { era: 'modern', version: '', sessionId: undefined };

async function openUrl(target: UrlTarget, world: World): Promise<Opened> {
  const { budgets, signal, wallClockMs, log, clock, env, resolve } = world;
  const url = targetUrl(target);
  const headers = Object.fromEntries(Object.entries(target.headers ?? {}).map(([name, text]) => [name.toLowerCase(), filledIn(text, env)]));
  const authorities = target.caFile === undefined ? undefined : [...rootCertificates, await readAuthorities(target.caFile)];
  const dialOf = (to: URL): Dial => ({ url: to, budgets, clock, resolve, authorities, publicOnly: target.publicOnly === true });
  let credential: Credential | undefined;
  const { auth } = target;
  if (auth !== undefined) {
    // The way to the token endpoint is a stage of its own in the waterfall.
    const quiet: StageLog = { ...log, time: (_stage, work) => work() };
    const open = (): Promise<Credential> =>
      openCredential(auth, env, { budgets, wallClockMs, signal, origin: (to) => openOrigin(dialOf(to), quiet) });
    credential = auth.kind === 'bearer' ? await open() : await log.time('token', open);
  } else if (headers['authorization'] !== undefined)
    credential = { headers: { authorization: headers['authorization'] }, endsAtMs: undefined };
  const origin: HttpOrigin = openOrigin(dialOf(url), log);
  const parts: HttpWireParts = { origin, url, budgets, clock, wallClockMs, log, headers, credential };
  try {
    return { ...(await greetOverHttp(target, parts, world)), credentialEndsAtMs: credential?.endsAtMs };
  } catch (error) {
    origin.close();
    throw error;
  }
}

async function greetOverHttp({ era = 'auto' }: UrlTarget, parts: HttpWireParts, world: World): Promise<Opened> {
  const conversation = converse(createHttpWire(parts), { ...UNDECIDED, clientInfo: clientInfo() }, world);
  if (era !== 'legacy') {
    const greeting = await discover(conversation, era === 'modern');
    if (greeting !== 'legacy') return { conversation, greeting, notes: [] };
  }
  try {
    return { conversation, greeting: await initialize(conversation), notes: [] };
  } catch (error) {
    if (!(error instanceof TargetFailure) || ![400, 404, 405].includes(error.facts.httpStatus ?? 0)) throw error;
    const wire = await openSseWire(parts, world.signal);
    if (wire === undefined) throw error;
    const older = converse(wire, conversation.speaker, world);
    try {
      const detail = 'the server speaks HTTP+SSE, the transport of 2024';
      return { conversation: older, greeting: await initialize(older), notes: [{ reason: 'transport_deprecated', step: 'hello', detail }] };
    } catch (failure) {
      await wire.close({});
      throw failure;
    }
  }
}

async function openCommand({ command, cwd, env = {}, era = 'auto' }: CommandTarget, world: World): Promise<Opened> {
  const { budgets, clock, log, signal } = world;
  const filled = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filledIn(text, world.env)]));
  const start = { command, cwd, env: { ...world.env, ...filled }, budgets, clock };
  const isModern = era === 'modern' || (era === 'auto' && (await log.time('detect', () => detectModern(start, signal))));
  signal?.throwIfAborted();
  const wire = await log.time('spawn', () => openStdioWire(start));
  try {
    const conversation = converse(wire, { ...UNDECIDED, clientInfo: clientInfo() }, world);
    const greeting = isModern ? await discover(conversation, true) : await initialize(conversation);
    // Strict discovery has no other verdict than a greeting.
    if (greeting === 'legacy') throw new Error('strict discovery gave a verdict');
    return { conversation, greeting, notes: [] };
  } catch (error) {
    await wire.close({});
    throw error;
  }
}

/** Asks a sibling process: some servers exit on a first request that they do not know, and the real one must not. */
async function detectModern(start: Parameters<typeof openStdioWire>[0], signal: AbortSignal | undefined): Promise<boolean> {
  const wire = await openStdioWire(start, 'detect');
  try {
    // A sibling that is slow is given up after the time for detection, not for a hello.
    const budgets = { ...start.budgets, helloMs: start.budgets.detectMs };
    const sibling = converse(wire, { ...UNDECIDED, clientInfo: clientInfo() }, { budgets, log: createStageLog(start.clock), signal });
    return (await discover(sibling, false)) !== 'legacy';
  } catch (error) {
    if (!(error instanceof TargetFailure)) throw error;
    // A modern error is the answer of a modern server; silence, exit and whatever else are those of an older one.
    return (
      error.reason === 'header_mismatch' || error.reason === 'missing_client_capability' || error.reason === 'protocol_version_mismatch'
    );
  } finally {
    await wire.close({});
  }
}

function targetUrl({ url }: UrlTarget): URL {
  if (URL.canParse(url)) {
    const parsed = new URL(url);
    if (parsed.protocol === 'http:' || parsed.protocol === 'https:') return parsed;
  }
  throw new TargetFailure({ reason: 'probe_config_error', step: 'resolve', detail: `${url} is no URL with http: or https:` });
}

async function readAuthorities(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new TargetFailure({ reason: 'probe_config_error', step: 'tls', detail: `the certificates in ${path} cannot be read`, cause });
  });
}

function connectionOf(
  target: TargetDefinition,
  { conversation, greeting, notes: known, credentialEndsAtMs }: Opened,
  world: World,
): Connection {
  const { wire } = conversation;
  const { budgets, log } = world;
  const own: TargetNote[] = [...known];
  const headersOf = new Map<string, ReadonlyMap<string, readonly string[]>>();
  let closing: Promise<void> | undefined;
  return {
    target: target.name,
    transport: wire.transport,
    era: conversation.speaker.era,
    protocolVersion: conversation.speaker.version,
    serverInfo: greeting.serverInfo,
    capabilities: greeting.capabilities,
    instructions: greeting.instructions,
    hello: greeting.answer,
    stages: log.timings,
    get notes() {
      return [...own, ...wire.notes];
    },
    get certificateEndsAtMs() {
      return wire.certificateEndsAtMs();
    },
    credentialEndsAtMs,
    async request(method, params, options = {}) {
      const annotated = method === 'tools/call' ? paramHeaders.headersFor(headersOf, params) : {};
      return conversation.ask(stepOf(method), method, params, { ...options, headers: { ...annotated, ...options.headers } });
    },
    notify: (method, params) => conversation.tell(method, params),
    async listAll(kind, options = {}) {
      const listing = await listPages(conversation, kind, budgets, options, own);
      if (kind === 'tools') for (const tool of listing.items) paramHeaders.learn(headersOf, tool);
      return listing;
    },
    close() {
      const { sessionId } = conversation.speaker;
      closing ??= wire.close(
        sessionId === undefined ? {} : { 'mcp-session-id': sessionId, 'mcp-protocol-version': conversation.speaker.version },
      );
      return closing;
    },
  };
}
