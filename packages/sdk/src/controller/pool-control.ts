/** Pools of a service that may be made smaller for a while from outside. Each shrink has an id, an end, and comes back by itself. */
import { createValueReader } from '../core/check-value.js';
import type { Cancel, Clock } from '../core/clock.js';
import { ToolquakeError } from '../core/errors.js';
import type { JsonObject } from '../core/message.js';
import { readPool, type PoolGauges } from '../core/pool-figures.js';
import { shrinkPool } from '../interceptors/shrink-pool.js';
import { DEFAULT_DURATION_MS } from './controller.js';

/** See the module comment. Whatever is refused throws a `ToolquakeError` and changes nothing. */
export type PoolControl = {
  readonly names: readonly string[];
  /** Every pool with its figures, and what is shrunk of it. */
  list(): JsonObject;
  /** `body` holds `id`, `max` and perhaps `durationMs`. */
  shrink(name: string, body: JsonObject): JsonObject;
  /** Twice is fine, and so is an id that is not known (any more). */
  restore(name: string, body: JsonObject): JsonObject;
  /** Gives every pool back what it had. */
  restoreAll(): void;
  /** The same, and nothing is shrunk any more. */
  close(): void;
};

type Held = { readonly max: number; readonly endsAtMs: number; readonly undo: () => void; readonly stop: Cancel };

/** More shrinks of one pool at once are a leak of the caller. */
const MAX_SHRINKS = 100;
/** No lease is longer: a caller from outside may go away and forget. */
const MAX_DURATION_MS = 24 * 3_600_000;
const ID = /^[A-Za-z0-9][\w.:-]{0,99}$/;

/** What a control works with. The guard was asked by whoever opens it. */
export type PoolControlOptions = {
  readonly pools: Readonly<Record<string, PoolGauges>>;
  readonly clock: Clock;
  /** While the kill switch is on, nothing is changed. */
  readonly isKilled: () => boolean;
};

/** Puts pools under control. */
export function createPoolControl({ pools, clock, isKilled }: PoolControlOptions): PoolControl {
  let isClosed = false;
  const held = new Map<string, Map<string, Held>>(Object.keys(pools).map((name) => [name, new Map()]));
  const of = (name: string): { readonly pool: PoolGauges; readonly shrinks: Map<string, Held> } => {
    const pool = Object.hasOwn(pools, name) ? pools[name] : undefined;
    const shrinks = held.get(name);
    if (pool !== undefined && shrinks !== undefined) return { pool, shrinks };
    throw new ToolquakeError('WRONG_TYPE', {
      message: `There is no pool "${name.slice(0, 60)}" here.`,
      advice: `Pools: ${[...held.keys()].join(', ')}.`,
    });
  };
  const figures = (name: string): JsonObject => {
    const { pool, shrinks } = of(name);
    const nowMs = clock.nowMs();
    return {
      name,
      ...readPool(pool),
      shrinks: [...shrinks].map(([id, { max, endsAtMs }]) => ({ id, max, expiresInMs: Math.max(0, Math.round(endsAtMs - nowMs)) })),
    };
  };
  const release = (name: string, id: string): boolean => {
    const { shrinks } = of(name);
    const shrink = shrinks.get(id);
    if (shrink === undefined) return false;
    shrinks.delete(id);
    shrink.stop();
    shrink.undo();
    return true;
  };

  const restoreAll = (): void => {
    for (const [name, shrinks] of held) for (const id of [...shrinks.keys()].toReversed()) release(name, id);
  };

  return {
    names: [...held.keys()],
    list: () => ({ pools: [...held.keys()].map(figures) }),
    shrink(name, body) {
      const { pool, shrinks } = of(name);
      const id = idIn(body);
      if (isClosed) throw new ToolquakeError('STOPPED', { message: 'The run has ended: no pool is shrunk any more.' });
      if (isKilled())
        throw new ToolquakeError('NOT_ALLOWED', { message: 'The kill switch is on: no pool is shrunk.', advice: 'Revive the run first.' });
      if (shrinks.has(id)) throw new ToolquakeError('DUPLICATE_ID', { message: `The pool "${name}" is shrunk by "${id}" already.` });
      if (shrinks.size >= MAX_SHRINKS)
        throw new ToolquakeError('TOO_LARGE', { message: `The pool "${name}" is shrunk ${MAX_SHRINKS} times already.` });
      const reader = createValueReader();
      const durationMs = reader.number(body['durationMs'] ?? DEFAULT_DURATION_MS, ['durationMs'], {
        min: 1,
        max: MAX_DURATION_MS,
        unit: 'ms',
      });
      const max = reader.number(body['max'], ['max'], { min: 1, isWhole: true });
      const [problem] = reader.problems;
      if (durationMs === undefined || max === undefined || problem !== undefined)
        throw new ToolquakeError(problem?.code ?? 'WRONG_TYPE', problem ?? { message: 'max and durationMs must be numbers.' });
      const { undo, before } = shrinkPool(pool, { max, isAllowed: () => true });
      shrinks.set(id, {
        max,
        endsAtMs: clock.nowMs() + durationMs,
        undo,
        stop: clock.schedule(durationMs, () => void release(name, id)),
      });
      return { shrunk: id, before: { ...before }, pool: figures(name) };
    },
    restore(name, body) {
      const id = idIn(body);
      return { restored: id, found: release(name, id), pool: figures(name) };
    },
    restoreAll,
    close() {
      isClosed = true;
      restoreAll();
    },
  };
}

function idIn({ id }: JsonObject): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw new ToolquakeError('WRONG_TYPE', {
    message: 'id must be the name of this shrink: letters, digits, ".", ":", "_" and "-", at most 100.',
    advice: 'You choose it before, so that you can take the shrink back whatever happens.',
  });
}
