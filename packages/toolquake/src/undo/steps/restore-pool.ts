import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { isReachedFromAnywhere } from '../../core/this-machine.js';
import { defineUndo, type UndoState } from '../../core/undo-step.js';
import { isNobodyThere } from '../../proxies/ask-admin.js';
import { askPlace, readAdminPlace } from '../admin-of.js';

/** Gives a pool back what it had. The pool is in the memory of a service: where nobody listens any more, it is gone. */
export const restorePool = defineUndo({
  kind: 'restore-pool',
  summary: 'Gives a pool of a running service back the size that it had.',
  isReachable: ({ adminUrl }) => isReachedFromAnywhere(adminUrl),
  async undo(data, world) {
    const { pool, shrink } = readShrink(data);
    try {
      await askPlace(readAdminPlace(data), world, `POST /chaos/pools/${encodeURIComponent(pool)}/restore`, { id: shrink });
    } catch (error) {
      if (!isNobodyThere(error)) throw error;
    }
  },
  async verify(data, world) {
    const place = readAdminPlace(data);
    const { pool, shrink, max } = readShrink(data);
    try {
      const { pools } = await askPlace(place, world, 'GET /chaos/pools');
      const found = Array.isArray(pools) ? pools.filter(isObject).find(({ name }) => name === pool) : undefined;
      // A service that was started anew may have opened another set of pools.
      if (found === undefined) return { is: 'gone', proof: `there is no pool "${pool}" at ${place.adminUrl} any more` };
      return judge(found, shrink, max);
    } catch (error) {
      if (isNobodyThere(error))
        return { is: 'gone', proof: `nobody listens at ${place.adminUrl} any more, and its pools were in memory only` };
      return { is: 'not-undone', why: error instanceof Error ? error.message : String(error) };
    }
  },
});

function judge({ name, max, shrinks }: JsonObject, shrink: string, before: number): UndoState {
  const others = Array.isArray(shrinks) ? shrinks.filter(isObject).map(({ id }) => id) : [];
  const pool = `the pool "${String(name)}"`;
  if (others.includes(shrink)) return { is: 'not-undone', why: `${pool} still is shrunk to ${String(max)} by ${shrink}` };
  if (typeof max === 'number' && max >= before) return { is: 'undone', proof: `${pool} may have ${max} again, as before (${before})` };
  // Another shrink has an undo of its own.
  if (others.length > 0) return { is: 'undone', proof: `${pool} is not shrunk by ${shrink} any more, but still by ${others.join(', ')}` };
  return { is: 'not-undone', why: `${pool} may have ${String(max)}, and had ${before} before` };
}

function readShrink({ pool, shrink, max }: JsonObject): { readonly pool: string; readonly shrink: string; readonly max: number } {
  if (typeof pool === 'string' && typeof shrink === 'string' && typeof max === 'number') return { pool, shrink, max };
  throw new ToolquakeError('WRONG_TYPE', { message: 'A step "restore-pool" needs pool, shrink and max.' });
}
