/**
 * The admin routes as a function from request to response, for any HTTP server. Routes, bodies and status codes are those
 * of mcp-chaos-monkey, in both casings, and our own beside them: plan, kill, revive.
 */
import { createValueReader } from '../core/check-value.js';
import { ToolquakeError } from '../core/errors.js';
import { isObject, type JsonObject } from '../core/message.js';
import type { Plan } from '../core/plan.js';
import type { ChaosController } from './controller.js';
import { bothCases, eitherCase, importConfig } from './fault-config.js';

/** A request. Header names are in lower case; `path` is without a query. */
export type AdminRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
};

/** What to answer. */
export type AdminResponse = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** What the routes work with. */
export type AdminOptions = {
  readonly controller: ChaosController;
  /** Absent or empty: everything is refused. */
  readonly token: string | undefined;
  /** The name of the target behind this controller; undefined: whatever a caller says means this one. */
  readonly target?: string | undefined;
  /** Deliveries of a rule so far. */
  readonly fired: (id: string) => number;
  /** A checked plan from text, or a `ToolquakeError` that says what is wrong and where. */
  readonly readPlan: (text: string) => Plan;
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
    const rule = Object.hasOwn(given, 'fault') ? given : ruleOf(given);
    const id = controller.inject(rule, duration ?? undefined);
    return isSnake ? { fault_id: id } : { faultId: id };
  };

  const status = (): JsonObject => ({
    faults: controller.list().map(({ id, rule }) => {
      const count = options.fired(id);
      // A GET has no casing of its own, so both kinds of callers find their word.
      return { id, target: options.target ?? '*', type: rule.fault.type, requestCount: count, request_count: count };
    }),
    killed: controller.isKilled,
    rules: controller.plan.rules.map(({ id, fault }) => ({ id, fault: fault.type, fired: options.fired(id) })),
  });

  const routes: Readonly<Record<string, (text: string) => JsonObject>> = {
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
  };

  // Async, so that nothing thrown on the way leaves as anything but a rejection; there is none.
  return async ({ method, path, headers, body }) => {
    if (method === 'GET' && path === '/healthz') return json(200, { ok: true });
    if (!isAuthorised(headers['authorization'], options.token)) return json(403, { error: 'Forbidden: a bearer token is needed.' });
    const key = `${method} ${path}`;
    const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
    if (route === undefined) return json(404, { error: `There is no ${key}. Routes: ${Object.keys(routes).join(', ')}.` });
    try {
      return json(200, route(body));
    } catch (error) {
      if (!(error instanceof ToolquakeError)) return json(500, { error: 'This is our own mistake.' });
      const advice = error.advice === undefined ? '' : ` ${error.advice}`;
      return json(error.code === 'NOT_ALLOWED' ? 403 : 400, { error: `${error.message}${advice}` });
    }
  };
}

const wrong = (message: string): ToolquakeError => new ToolquakeError('WRONG_TYPE', { message });

const json = (status: number, body: JsonObject): AdminResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

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

/** The native rule of an mcp-chaos-monkey config. */
function ruleOf(config: JsonObject): JsonObject {
  const reader = createValueReader();
  const rule = importConfig(reader, config, ['config']);
  const [problem] = reader.problems;
  if (problem !== undefined) throw new ToolquakeError(problem.code, problem);
  return rule ?? {};
}

/** Takes the same time wherever the token is wrong: every character is compared, whatever came before. */
function isAuthorised(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined || token === '') return false;
  const given = header ?? '';
  const wanted = `Bearer ${token}`;
  let difference = given.length ^ wanted.length;
  for (let index = 0; index < wanted.length; index++)
    difference |= wanted.charCodeAt(index) ^ given.charCodeAt(index % (given.length || 1));
  return difference === 0;
}
