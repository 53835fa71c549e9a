/** The admin routes of mcp-chaos-monkey on an app in the manner of Express, in both casings. */
import { CONFIG_SHAPES, CONFIG_TYPES, eitherCase } from '../controller/fault-config.js';
import { isSameSecret } from '../controller/same-secret.js';
import { ToolquakeError } from '../core/errors.js';
import { isObject, type JsonObject } from '../core/message.js';
import { processEnvironment } from '../interceptors/guard.js';
import type { FaultConfig } from '../controller/parse-fault-config.js';
import { ChaosController } from './controller.js';
import { isFaultTarget } from './fault.js';
import { assertChaosAllowed } from './guard.js';
import { loggerFor } from './logger.js';

/** What is asked of a request. Its body is parsed already (`express.json()`). */
export type AdminEndpointRequest = {
  readonly headers: { readonly authorization?: string | undefined };
  readonly body?: unknown;
  readonly query?: unknown;
};
/** What is asked of a response. */
export type AdminEndpointResponse = { status(code: number): AdminEndpointResponse; json(body: unknown): unknown };
type Handler = (req: AdminEndpointRequest, res: AdminEndpointResponse) => void;
/** What is asked of an app. */
export type AdminEndpointApp = { get(path: string, handler: Handler): unknown; post(path: string, handler: Handler): unknown };

/** Opens `/chaos/status`, `/chaos/inject`, `/chaos/clear` and `/chaos/clear-all`, for who knows `CHAOS_ADMIN_TOKEN`. */
export function registerChaosEndpoint(app: AdminEndpointApp): void {
  assertChaosAllowed();
  const route =
    (whatFailed: string, answer: (req: AdminEndpointRequest) => JsonObject): Handler =>
    (req, res) => {
      try {
        const refusal = whyForbidden(req.headers.authorization);
        if (refusal !== undefined) res.status(403).json({ error: refusal });
        else res.json(answer(req));
      } catch (error) {
        if (error instanceof Refusal) return void res.status(error.status).json({ error: error.message });
        loggerFor('chaos-admin').error({ error: messageOf(error) }, whatFailed);
        res.status(500).json({ error: whatFailed });
      }
    };
  app.get('/chaos/status', route('Failed to get chaos status', status));
  app.post(
    '/chaos/inject',
    route('Failed to inject fault', ({ body }) => inject(objectOf(body))),
  );
  app.post(
    '/chaos/clear',
    route('Failed to clear fault', ({ body }) => clear(objectOf(body))),
  );
  app.post(
    '/chaos/clear-all',
    route('Failed to clear all faults', () => {
      ChaosController.getInstance().clearAll();
      return { cleared: 'all' };
    }),
  );
  const logger = loggerFor('chaos-admin');
  if (processEnvironment()['CHAOS_ADMIN_TOKEN'] === undefined)
    logger.warn('CHAOS_ADMIN_TOKEN is not set — admin endpoints will reject all requests');
  logger.info('Chaos admin endpoints registered at /chaos/*');
}

/** What a caller did wrong, with the status that says so. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const wrong = (message: string): Refusal => new Refusal(400, message);

function whyForbidden(header = ''): string | undefined {
  const token = processEnvironment()['CHAOS_ADMIN_TOKEN'];
  if (token === undefined) return 'CHAOS_ADMIN_TOKEN is not set — admin access denied. Set CHAOS_ADMIN_TOKEN to enable admin endpoints.';
  if (token === '') return 'CHAOS_ADMIN_TOKEN is set but empty — refusing access';
  return isSameSecret(header.replace(/^Bearer /, ''), token) ? undefined : 'Invalid or missing CHAOS_ADMIN_TOKEN';
}

const objectOf = (body: unknown): JsonObject => (isObject(body) ? body : {});

function status({ query }: AdminEndpointRequest): JsonObject {
  const faults = ChaosController.getInstance().getActiveFaults();
  // A GET has no casing of its own, so a caller says which one it wants.
  if (!isObject(query) || query['casing'] !== 'snake') return { faults };
  return { faults: faults.map(({ requestCount, ...fault }) => ({ ...fault, request_count: requestCount })) };
}

function inject(body: JsonObject): JsonObject {
  const { target, config } = body;
  if (!isFaultTarget(target)) throw wrong('Missing required field: target (non-empty string)');
  const type = isObject(config) ? config['type'] : undefined;
  const shape = typeof type === 'string' ? CONFIG_SHAPES.get(type) : undefined;
  if (!isObject(config) || shape === undefined)
    throw wrong(`Missing or invalid field: config.type (must be one of: ${CONFIG_TYPES.join(', ')})`);
  const problem = whyWrong(config, String(type));
  if (problem !== undefined) throw wrong(problem);
  const duration = eitherCase(body, 'durationMs');
  const durationMs = duration.value ?? undefined;
  if (durationMs !== undefined && !isAmount(durationMs)) {
    const name = Object.hasOwn(body, 'duration_ms') ? 'duration_ms' : 'durationMs';
    throw wrong(`${name} must be a non-negative finite number`);
  }
  const id = refusing(() => ChaosController.getInstance().inject(target, config as FaultConfig, durationMs));
  const isSnake = [...Object.keys(body), ...Object.keys(config)].some((key) => key.includes('_'));
  return isSnake ? { fault_id: id } : { faultId: id };
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** The texts that clients know; what is left is told in the words of the validator. */
function whyWrong(config: JsonObject, type: string): string | undefined {
  const { fields, required } = CONFIG_SHAPES.get(type)!;
  for (const [field, { kind }] of Object.entries(fields)) {
    const { key, value } = eitherCase(config, field);
    const name = `config.${value === undefined ? field : key}`;
    if (kind === 'number' && required.includes(field)) {
      if (typeof value !== 'number' || !Number.isFinite(value)) return `${name} must be a finite number for fault type '${type}'`;
      if (value < 0) return `${name} must be a non-negative number for fault type '${type}'`;
    }
    if (kind === 'names' && !(Array.isArray(value) && value.every((one) => typeof one === 'string')))
      return `${name} must be an array of strings for fault type '${type}'`;
    if (kind === 'flag' && typeof value !== 'boolean') return `${name} must be a boolean for fault type '${type}'`;
  }
  return config['message'] != null && typeof config['message'] !== 'string' ? 'config.message must be a string' : undefined;
}

/** What the controller refuses is the caller's to mend. */
function refusing<Value>(action: () => Value): Value {
  try {
    assertChaosAllowed();
  } catch (error) {
    throw new Refusal(403, messageOf(error));
  }
  try {
    return action();
  } catch (error) {
    if (error instanceof ToolquakeError || (error instanceof Error && error.message.startsWith('probability '))) throw wrong(error.message);
    throw error;
  }
}

function clear(body: JsonObject): JsonObject {
  const { value: id } = eitherCase(body, 'faultId');
  if (typeof id !== 'string' || id === '') throw wrong('Missing required field: faultId');
  if (!ChaosController.getInstance().clear(id)) throw new Refusal(404, `No active fault: ${id}`);
  return { cleared: id };
}
