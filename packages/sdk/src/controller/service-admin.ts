/**
 * The admin routes of a run inside a service: its own server has them beside the service's routes, under `/chaos/`. From this
 * machine only unless told otherwise, and closed without a token. Where the guard refuses, they are not there at all.
 */
import { requirePlan } from '../core/check-plan.js';
import { ToolquakeError } from '../core/errors.js';
import { createCatalogue, type Catalogue } from '../core/fault.js';
import { isObject } from '../core/message.js';
import type { Plan } from '../core/plan.js';
import { backgroundClock } from '../core/surroundings.js';
import * as faults from '../faults/index.js';
import { processEnvironment } from '../interceptors/guard.js';
import { createAdmin, type AdminRequest, type AdminResponse } from './admin.js';
import type { PoolGauges } from '../core/pool-figures.js';
import { createEventFeed } from './event-feed.js';
import { createPoolControl } from './pool-control.js';
import type { Run } from './run.js';

/** How the routes are opened. */
export type MountAdminOptions = {
  /** By default what `CHAOS_ADMIN_TOKEN` says. Without one everything is refused. */
  readonly token?: string | undefined;
  /** Answers callers on other machines, too. They then need the token alone. */
  readonly allowRemote?: boolean | undefined;
  /** The faults that a plan may name; by default all of the product. */
  readonly catalogue?: Catalogue | undefined;
  /** Pools of `pg` by name, which callers may shrink for a while. They have back what they had when the time is over, or the run. */
  readonly pools?: Readonly<Record<string, PoolGauges>> | undefined;
};

/** A request, and where it comes from as far as the host knows. */
export type ServiceRequest = AdminRequest & { readonly remoteAddress: string | undefined };

/** The routes, for a host to mount. */
export type ServiceAdmin = {
  /** Is this request for these routes? The others are the service's own. */
  isFor(path: string): boolean;
  /** Why a caller is not answered at all; asked before its body is read. */
  refusal(request: Omit<ServiceRequest, 'body'>): AdminResponse | undefined;
  answer(request: AdminRequest): Promise<AdminResponse>;
};

/** Larger bodies are refused. */
export const MAX_ADMIN_BODY_BYTES: number = 1024 * 1024;

const PREFIX = '/chaos/';
/** The headers that `refusal` and `answer` look at. */
export const ADMIN_HEADERS: readonly string[] = ['authorization', 'origin', 'host', 'forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];
const RELAYED: readonly string[] = ADMIN_HEADERS.slice(3);

/** Opens the routes of a run. */
export function createServiceAdmin(run: Run, options: MountAdminOptions = {}): ServiceAdmin {
  const { allowRemote = false, catalogue = createCatalogue(faults), token = processEnvironment()['CHAOS_ADMIN_TOKEN'] } = options;
  const events = createEventFeed({ clock: backgroundClock });
  const pools =
    options.pools === undefined
      ? undefined
      : createPoolControl({ pools: options.pools, clock: backgroundClock, isKilled: () => run.isKilled });
  if (run.guarded === undefined)
    run.listen((entry) => {
      events.publish(entry);
      // Transparency at once is meant of pools, too.
      if (entry.kind === 'control' && entry.what === 'kill') pools?.restoreAll();
      if (entry.kind !== 'end') return;
      events.close();
      pools?.close();
    });
  const answer = createAdmin({
    controller: run,
    token,
    hasTargets: true,
    fired: run.fired,
    readPlan: (text) => readPlan(text, catalogue),
    events,
    pools,
    nowMs: backgroundClock.nowMs,
  });
  return {
    isFor: (path) => run.guarded === undefined && path.startsWith(PREFIX),
    refusal({ headers, remoteAddress }) {
      if (allowRemote) return undefined;
      // Whoever relays a request is near; whoever asked may not be. A page that had its own name point here still sends that.
      const isNear = isLoopback(remoteAddress) && RELAYED.every((name) => headers[name] === undefined);
      if (isNear && /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(headers['host'] ?? '')) return undefined;
      return refused(403, 'Forbidden: only from the machine itself.');
    },
    answer,
  };
}

/** An answer that says why not. */
export function refused(status: number, error: string): AdminResponse {
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: JSON.stringify({ error }) };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/i.test(address);
}

function readPlan(text: string, catalogue: Catalogue): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ToolquakeError('BAD_SYNTAX', { message: 'Invalid JSON body.' });
  }
  if (!isObject(value)) throw new ToolquakeError('WRONG_TYPE', { message: 'A plan must be a JSON object.' });
  return requirePlan(value, catalogue);
}
