/** Middleware in the manner of Express that answers like an authority that fails. */
import type { FaultConfig } from '../controller/parse-fault-config.js';
import { currentController } from './controller.js';
import type { FaultTarget } from './fault.js';
import { loggerFor } from './logger.js';

/** What is asked of a response: that of Express has it all. */
export type AuthResponse = {
  status(code: number): { json(body: unknown): unknown };
  readonly writableEnded?: boolean | undefined;
  setHeader?(name: string, value: string): unknown;
  once?(event: 'close', listener: () => void): unknown;
  off?(event: 'close', listener: () => void): unknown;
};

/** Middleware: the request, the response, and how to go on. */
export type AuthMiddleware = (req: unknown, res: AuthResponse, next: () => void) => void;

const PERFORMED: readonly string[] = ['error', 'latency', 'timeout'];
const performs = ({ type }: FaultConfig): boolean => PERFORMED.includes(type);

/** Middleware for the target `oauth-token`. */
export function chaosAuthMiddleware(_req: unknown, res: AuthResponse, next: () => void): void {
  applyFault('oauth-token', res, next);
}

/** Middleware for a target of its own; several may be stacked. */
export function createChaosAuthMiddleware(target: FaultTarget = 'oauth-token'): AuthMiddleware {
  return (_req, res, next) => applyFault(target, res, next);
}

function applyFault(target: FaultTarget, res: AuthResponse, next: () => void): void {
  const controller = currentController();
  const fault = controller?.getFault(target, performs) ?? undefined;
  if (controller === undefined || fault === undefined) return next();
  loggerFor('chaos-auth').debug({ target, faultType: fault.type }, 'Chaos auth fault triggered');
  const after = (ms: number, action: () => void): void => {
    // Nobody waits for what a client is told that has gone.
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    res.once?.('close', onClose);
    controller.waits.wait(ms, gone.signal).then(
      () => {
        res.off?.('close', onClose);
        action();
      },
      () => {},
    );
  };
  if (fault.type === 'error') return refuse(res, fault.statusCode, fault.message);
  if (fault.type === 'latency') return after(fault.delayMs, next);
  if (fault.type === 'timeout') return after(fault.hangMs, () => giveUp(res));
  next();
}

/** What clients decide by stands in the header: RFC 6750 wants one with every 401, and with a 403 for want of scope. */
const CHALLENGES: ReadonlyMap<number, string> = new Map([
  [401, 'Bearer error="invalid_token"'],
  [403, 'Bearer error="insufficient_scope"'],
]);

function refuse(res: AuthResponse, status: number, message = 'Authentication failed (chaos)'): void {
  const challenge = CHALLENGES.get(status);
  if (challenge !== undefined) res.setHeader?.('WWW-Authenticate', challenge);
  res.status(status).json({ error: 'token_invalid', message });
}

function giveUp(res: AuthResponse): void {
  try {
    if (res.writableEnded !== true) res.status(504).json({ error: 'Gateway Timeout (chaos)' });
  } catch (error) {
    loggerFor('chaos-auth').error({ error: messageOf(error) }, 'Failed to send chaos timeout response');
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
