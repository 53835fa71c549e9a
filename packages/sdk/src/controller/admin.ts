/**
 * The admin routes as a function from request to response, for any HTTP server. Routes, bodies and status codes are those
 * of mcp-chaos-monkey, in both casings, and our own beside them: plan, kill, revive, tasks, live events, metrics.
 */
import { createValueReader } from '../core/check-value.js';
import type { BoundaryOutcome } from '../core/control-entry.js';
import { ToolquakeError } from '../core/errors.js';
import { isObject, type JsonObject } from '../core/message.js';
import type { Plan } from '../core/plan.js';
import type { ChaosController } from './controller.js';
import type { EventFeed } from './event-feed.js';
import { bothCases, eitherCase, importConfig } from './fault-config.js';
import type { PoolControl } from './pool-control.js';
import { isSameSecret } from './same-secret.js';
import { METRICS_CONTENT_TYPE } from '../core/metrics-text.js';
import type { TaskMarks } from './task-marks.js';

/** A request. Header names are in lower case; `path` is without a query. */
export type AdminRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
};

/** What to answer. */
export type AdminResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * Text to send after the headers, piece by piece, instead of `body`. Pull the next piece when the last one was taken,
   * and `return()` the iterator when the client goes away.
   */
  readonly stream?: AsyncIterableIterator<string>;
};

/** What the routes work with. */
export type AdminOptions = {
  readonly controller: ChaosController;
  /** Absent or empty: everything is refused. */
  readonly token: string | undefined;
  /** The name of the target behind this controller; undefined: whatever a caller says means this one. */
  readonly target?: string | undefined;
  /** Several targets are behind this controller: the one that a caller names is the one that the rule acts on. */
  readonly hasTargets?: boolean | undefined;
  /** Deliveries of a rule so far. */
  readonly fired: (id: string) => number;
  /** A checked plan from text, or a `ToolquakeError` that says what is wrong and where. */
  readonly readPlan: (text: string) => Plan;
  /** Each opens its routes: live events, task boundaries, and the text of a scrape. */
  readonly events?: EventFeed | undefined;
  readonly tasks?: TaskMarks | undefined;
  readonly metrics?: (() => string) | undefined;
  /** Opens `/chaos/pools` and a route for each pool. */
  readonly pools?: PoolControl | undefined;
  /** For the time that injected rules have left; absent: not told. */
  readonly nowMs?: (() => number) | undefined;
};

const REQUEST_KEYS: readonly string[] = bothCases(['target', 'config', 'durationMs']);

/** Answers admin requests. Never rejects: what is wrong becomes a status and an `error`. */
export function createAdmin(options: AdminOptions): (request: AdminRequest) => Promise<AdminResponse> {
  const { controller } = options;

  const inject = (body: JsonObject): JsonObject => {
    const given = isObject(body['config']) ? body['config'] : withoutKeys(body, REQUEST_KEYS);
    const isSnake = [...Object.keys(body), ...Object.keys(given)].some((key) => key.includes('_'));
    const { target } = body;
    if (target !== undefined && typeof target !== 'string') throw wrong('target must be text.');
    if (target !== undefined && target !== '*' && options.target !== undefined && target !== options.target)
      throw wrong(`There is no target "${target}" here, only "${options.target}".`);
    const duration = eitherCase(body, 'durationMs').value;
    if (duration !== undefined && duration !== null && typeof duration !== 'number') throw wrong('durationMs must be a number.');
    // For ever is what a program may ask for; a caller from outside may go away and forget (1e999 is read as Infinity).
    if (duration === Infinity) throw wrong('durationMs must have an end.');
    const native = Object.hasOwn(given, 'fault') ? given : ruleOf(given);
    const rule = options.hasTargets === true && target !== undefined && target !== '*' ? aimed(native, target) : native;
    const id = controller.inject(rule, duration ?? undefined);
    return isSnake ? { fault_id: id } : { faultId: id };
  };

  const status = (): JsonObject => ({
    faults: controller.list().map(({ id, rule, expiresAtMs }) => {
      const count = options.fired(id);
      const left = options.nowMs === undefined ? {} : { expiresInMs: Math.max(0, Math.round(expiresAtMs - options.nowMs())) };
      const aim = options.target ?? rule.when.target?.join(' ') ?? '*';
      // A GET has no casing of its own, so both kinds of callers find their word.
      return { id, target: aim, type: rule.fault.type, requestCount: count, request_count: count, ...left };
    }),
    killed: controller.isKilled,
    ...(options.tasks === undefined ? {} : { task: options.tasks.current ?? null }),
    ...(options.events === undefined ? {} : { streams: options.events.streams }),
    rules: controller.plan.rules.map(({ id, fault }) => ({ id, fault: fault.type, fired: options.fired(id) })),
  });

  const answers: Readonly<Record<string, (text: string) => JsonObject>> = {
    'GET /chaos/status': status,
    'POST /chaos/inject': (text) => inject(objectOf(text)),
    'POST /chaos/clear': (text) => {
      const id = eitherCase(objectOf(text), 'faultId').value;
      if (typeof id !== 'string') throw wrong('faultId must be text.');
      return { cleared: id, found: controller.clear(id) };
    },
    'POST /chaos/clear-all': () => {
      controller.clearAll();
      return { cleared: 'all' };
    },
    'POST /chaos/plan': (text) => {
      controller.replacePlan(options.readPlan(text));
      return { rules: controller.plan.rules.length };
    },
    'POST /chaos/kill': () => {
      controller.kill();
      return { killed: true };
    },
    'POST /chaos/revive': () => {
      controller.revive();
      return { killed: false };
    },
    ...(options.tasks === undefined ? {} : taskAnswers(options.tasks)),
    ...(options.pools === undefined ? {} : poolAnswers(options.pools)),
  };
  const { events, metrics } = options;
  const routes: Readonly<Record<string, (text: string) => AdminResponse>> = {
    ...Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, (text: string) => json(200, answer(text))])),
    ...(events === undefined ? {} : { 'GET /chaos/events': () => listen(events) }),
    ...(metrics === undefined
      ? {}
      : { 'GET /metrics': () => ({ status: 200, headers: { 'content-type': METRICS_CONTENT_TYPE, ...NOT_KEPT }, body: metrics() }) }),
  };

  // Async, so that nothing thrown on the way leaves as anything but a rejection; there is none.
  return async ({ method, path, headers, body }) => {
    if (method === 'GET' && path === '/healthz') return json(200, { ok: true });
    // Browsers say which page asks. None has any business here, not even with a token that it came by.
    const { origin, host } = headers;
    if (origin !== undefined && (host === undefined || origin !== `http://${host}`))
      return json(403, { error: 'Forbidden: not for web pages of another origin.' });
    if (!isAuthorised(headers['authorization'], options.token)) return json(403, { error: 'Forbidden: a bearer token is needed.' });
    const key = `${method} ${path}`;
    const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
    if (route === undefined) return json(404, { error: `There is no ${key}. Routes: ${Object.keys(routes).join(', ')}.` });
    try {
      return route(body);
    } catch (error) {
      if (!(error instanceof ToolquakeError)) return json(500, { error: 'This is our own mistake.' });
      const advice = error.advice === undefined ? '' : ` ${error.advice}`;
      return json(error.code === 'NOT_ALLOWED' ? 403 : 400, { error: `${error.message}${advice}` });
    }
  };
}

const wrong = (message: string): ToolquakeError => new ToolquakeError('WRONG_TYPE', { message });

const NOT_KEPT = { 'cache-control': 'no-store' } as const;

const json = (status: number, body: JsonObject): AdminResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...NOT_KEPT },
  body: JSON.stringify(body),
});

function listen(events: EventFeed): AdminResponse {
  const stream = events.open();
  if (stream === undefined)
    return json(503, { error: `${events.streams} listeners are connected, and more are not allowed. Close one first.` });
  return { status: 200, headers: { 'content-type': 'text/event-stream', ...NOT_KEPT }, body: '', stream };
}

const OUTCOMES: readonly BoundaryOutcome[] = ['ok', 'failed'];

function taskAnswers(tasks: TaskMarks): Readonly<Record<string, (text: string) => JsonObject>> {
  const bodyOf = (
    text: string,
    keys: readonly string[],
  ): { readonly name: string | undefined; readonly outcome: BoundaryOutcome | undefined } => {
    // Nothing to say is nothing to send.
    const body = text.trim() === '' ? {} : objectOf(text);
    const stranger = Object.keys(body).find((key) => !keys.includes(key));
    if (stranger !== undefined) throw wrong(`There is no "${stranger.slice(0, 60)}" here, only ${keys.join(' and ')}.`);
    const { name, outcome } = body;
    if (name !== undefined && typeof name !== 'string') throw wrong('name must be text.');
    if (outcome !== undefined && !OUTCOMES.includes(outcome as BoundaryOutcome)) throw wrong(`outcome must be ${OUTCOMES.join(' or ')}.`);
    return { name, outcome: outcome as BoundaryOutcome | undefined };
  };
  return {
    'POST /chaos/task/start': (text) => ({ task: tasks.start(bodyOf(text, ['name']).name) }),
    'POST /chaos/task/end': (text) => {
      const { name, outcome } = bodyOf(text, ['name', 'outcome']);
      return { task: tasks.end(name, outcome), outcome: outcome ?? null };
    },
  };
}

/** A route for each pool, because its name is known: no path of a caller is taken apart. */
function poolAnswers(pools: PoolControl): Readonly<Record<string, (text: string) => JsonObject>> {
  const each = pools.names.flatMap((name) => {
    const path = `POST /chaos/pools/${encodeURIComponent(name)}`;
    return [
      [path, (text: string) => pools.shrink(name, objectOf(text))],
      [`${path}/restore`, (text: string) => pools.restore(name, objectOf(text))],
    ] as const;
  });
  return { 'GET /chaos/pools': () => pools.list(), ...Object.fromEntries(each) };
}

function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function objectOf(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ToolquakeError('BAD_SYNTAX', { message: 'Invalid JSON body.' });
  }
  if (!isObject(value)) throw wrong('The body must be a JSON object.');
  return value;
}

/** The rule for one target only; one that names a target of its own already must mean the same. */
function aimed(rule: JsonObject, target: string): JsonObject {
  const when = rule['when'] ?? {};
  if (!isObject(when)) return rule;
  if (when['target'] !== undefined && when['target'] !== target)
    throw wrong(`The rule is for the target ${JSON.stringify(when['target'])}, and the request for "${target}".`);
  return { ...rule, when: { ...when, target } };
}

/** The native rule of an mcp-chaos-monkey config. */
function ruleOf(config: JsonObject): JsonObject {
  const reader = createValueReader();
  const rule = importConfig(reader, config, ['config']);
  const [problem] = reader.problems;
  if (problem !== undefined) throw new ToolquakeError(problem.code, problem);
  return rule ?? {};
}

function isAuthorised(header: string | undefined, token: string | undefined): boolean {
  return token !== undefined && token !== '' && isSameSecret(header ?? '', `Bearer ${token}`);
}
