export * from './create-signals.js';
export type { CheckReport, HealthCheck, HealthReport } from './health.js';
export type { ObservableServer } from './observe-connections.js';
export type { OpenTelemetryMeter } from './open-telemetry.js';
export type { RecentFigures } from './operation-book.js';
export { pgPool, type PgPool, type PoolFigures, type Pools } from './pools.js';
export type { ProcessFigures, ProcessPort } from './process-figures.js';
export * from './signal-pages.js';
export type { PoolSnapshot, SignalSnapshot } from './snapshot.js';
