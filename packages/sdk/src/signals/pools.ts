/** Pools of connections as figures. Any pool fits that can say these four numbers. */
import { readPool, type PoolFigures, type PoolGauges } from '../core/pool-figures.js';
import type { MetricFamily, MetricSample } from '../core/metrics-text.js';

/** Pools by name, each asked when somebody looks. */
export type Pools = Readonly<Record<string, () => PoolFigures>>;

/** The figures of a `pg` pool, whose maximum may change while it lives. */
export const pgPool =
  (pool: PoolGauges): (() => PoolFigures) =>
  () =>
    readPool(pool);

/** What the pools say; one that fails to say it is told to `problem` and left out. */
export function readPools(pools: Pools, problem: (error: unknown) => void): ReadonlyMap<string, PoolFigures> {
  const read = new Map<string, PoolFigures>();
  for (const [name, figures] of Object.entries(pools)) {
    try {
      const { max, total, idle, waiting } = figures();
      if ([max, total, idle, waiting].every((figure) => Number.isFinite(figure) && figure >= 0))
        read.set(name, { max, total, idle, waiting });
      else problem(new RangeError(`The pool "${name}" has figures that are no counts.`));
    } catch (error) {
      problem(error);
    }
  }
  return read;
}

/** Pools by the names of OpenTelemetry's database conventions. */
export function poolFamilies(pools: ReadonlyMap<string, PoolFigures>): readonly MetricFamily[] {
  const family = (name: string, help: string, samples: (pool: string, figures: PoolFigures) => readonly MetricSample[]): MetricFamily => ({
    name: `db_client_connection_${name}`,
    help,
    type: 'gauge',
    samples: [...pools].flatMap(([pool, figures]) => samples(pool, figures)),
  });
  const label = (pool: string): { db_client_connection_pool_name: string } => ({ db_client_connection_pool_name: pool });
  if (pools.size === 0) return [];
  return [
    family('count', 'Connections of a pool, by state.', (pool, { total, idle }) => [
      { labels: { ...label(pool), db_client_connection_state: 'idle' }, value: idle },
      { labels: { ...label(pool), db_client_connection_state: 'used' }, value: Math.max(0, total - idle) },
    ]),
    family('max', 'Connections that a pool may have.', (pool, { max }) => [{ labels: label(pool), value: max }]),
    family('pending_requests', 'Callers that wait for a connection.', (pool, { waiting }) => [{ labels: label(pool), value: waiting }]),
  ];
}
