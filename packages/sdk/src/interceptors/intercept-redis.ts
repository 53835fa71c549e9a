/** A Redis client under the rules of a run: ioredis or node-redis, recognised by what it is. */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { ToolquakeError } from '../core/errors.js';
import { attachIoredis, isIoredis } from './intercept-ioredis.js';
import { attachNodeRedis, isNodeRedis } from './intercept-node-redis.js';
import { openRedisSite } from './redis-site.js';

/** How a client is intercepted. */
export type InterceptRedisOptions = {
  /** Name of the database, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of its commands in draws and journal; by default the target. */
  readonly label?: string | undefined;
};

/** Intercepts every command of a client, and of what it is duplicated to. Returns its undo. */
export function interceptRedis(run: Run, client: object, { target, label }: InterceptRedisOptions = {}): Cancel {
  const attach = isNodeRedis(client)
    ? (site: Site) => attachNodeRedis(site, client)
    : isIoredis(client)
      ? (site: Site) => attachIoredis(site, client)
      : undefined;
  if (attach === undefined) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'interceptRedis was given something that is no client of ioredis or node-redis with one connection.',
      advice: 'Give it `new Redis()` of ioredis, or `createClient()` of redis 5 or later; of a cluster, each of its nodes.',
    });
  }
  let undo: Cancel = () => {};
  const site = openRedisSite(run, { target, label, restore: () => undo() });
  undo = attach(site);
  return site.detach;
}

type Site = ReturnType<typeof openRedisSite>;
