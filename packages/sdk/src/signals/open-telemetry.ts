/**
 * The same figures through the OpenTelemetry API, for whoever pushes: the host's SDK decides where they go. A `Meter` is
 * taken structurally, so that nothing has to be installed for it.
 */
import { DURATION_BOUNDS_SECONDS } from './operation-book.js';
import type { Operation } from './operation.js';
import type { PoolFigures } from '../core/pool-figures.js';
import type { ProcessFigures } from './process-figures.js';

type Attributes = Readonly<Record<string, string>>;
type Observable = {
  addCallback(callback: (result: { observe(value: number, attributes?: Attributes): void }) => void): void;
  removeCallback(callback: (result: { observe(value: number, attributes?: Attributes): void }) => void): void;
};

/** The part of a `Meter` of `@opentelemetry/api` that is used. */
export type OpenTelemetryMeter = {
  createHistogram(
    name: string,
    options?: { description?: string; unit?: string; advice?: { explicitBucketBoundaries?: number[] } },
  ): { record(value: number, attributes?: Record<string, string>): void };
  createObservableGauge(name: string, options?: { description?: string; unit?: string }): Observable;
};

/** What is read when a reader collects. */
export type MeterSource = {
  readonly process: () => ProcessFigures | undefined;
  readonly pools: () => ReadonlyMap<string, PoolFigures>;
  readonly inFlight: () => number;
};

/** Where operations and sessions go. */
export type MeterSink = {
  operation(operation: Operation): void;
  session(seconds: number, operation: Pick<Operation, 'network' | 'version'>): void;
  readonly stop: () => void;
};

/** Names are those of the Development status of semantic-conventions-genai, 2026: this file alone knows them. */
export function recordTo(meter: OpenTelemetryMeter, source: MeterSource): MeterSink {
  const histogram = (name: string, description: string): ReturnType<OpenTelemetryMeter['createHistogram']> =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: [...DURATION_BOUNDS_SECONDS] } });
  const operations = histogram('mcp.server.operation.duration', 'Time from a request to the moment its final answer was sent.');
  const sessions = histogram('mcp.server.session.duration', 'How long a session of the legacy era lasted.');
  const undos: (() => void)[] = [];

  const gauge = (name: string, unit: string, read: () => Iterable<readonly [value: number, attributes?: Attributes]>): void => {
    const made = meter.createObservableGauge(name, { unit });
    const callback: Parameters<Observable['addCallback']>[0] = (result) => {
      for (const [value, attributes] of read()) result.observe(value, attributes);
    };
    made.addCallback(callback);
    undos.push(() => made.removeCallback(callback));
  };
  const figure = (name: string, unit: string, pick: (figures: ProcessFigures) => number | undefined): void =>
    gauge(name, unit, () => {
      const figures = source.process();
      const value = figures === undefined ? undefined : pick(figures);
      return value === undefined ? [] : [[value]];
    });
  const pool = (name: string, read: (figures: PoolFigures) => readonly (readonly [number, Attributes?])[]): void =>
    gauge(`db.client.connection.${name}`, '{connection}', () =>
      [...source.pools()].flatMap(([label, figures]) =>
        read(figures).map(([value, more]) => [value, { 'db.client.connection.pool.name': label, ...more }] as const),
      ),
    );

  gauge('mcp.server.operations.in_flight', '{operation}', () => [[source.inFlight()]]);
  figure('nodejs.eventloop.delay.p99', 's', (figures) => figures.eventLoopDelayP99Seconds);
  figure('nodejs.eventloop.utilization', '1', (figures) => figures.eventLoopUtilization);
  figure('v8js.memory.heap.used', 'By', (figures) => figures.heapUsedBytes);
  figure('v8js.memory.heap.limit', 'By', (figures) => figures.heapLimitBytes);
  figure('process.memory.usage', 'By', (figures) => figures.rssBytes);
  pool('count', ({ total, idle }) => [
    [idle, { 'db.client.connection.state': 'idle' }],
    [Math.max(0, total - idle), { 'db.client.connection.state': 'used' }],
  ]);
  pool('max', ({ max }) => [[max]]);
  pool('pending_requests', ({ waiting }) => [[waiting]]);

  return {
    operation({ method, tool, errorType, network, version, seconds }) {
      operations.record(seconds, {
        'mcp.method.name': method,
        ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool, 'gen_ai.operation.name': 'execute_tool' }),
        ...(errorType === undefined ? {} : { 'error.type': errorType }),
        ...statusOf(errorType),
        ...connectionAttributes({ network, version }),
      });
    },
    session: (seconds, about) => sessions.record(seconds, connectionAttributes(about)),
    stop() {
      for (const undo of undos) undo();
    },
  };
}

/** A JSON-RPC code is both: the class of the error, and the status of the response. */
function statusOf(errorType: string | undefined): Record<string, string> {
  return errorType !== undefined && /^-?\d+$/.test(errorType) ? { 'rpc.response.status_code': errorType } : {};
}

function connectionAttributes({ network, version }: Pick<Operation, 'network' | 'version'>): Record<string, string> {
  return {
    ...(network === undefined ? {} : { 'network.transport': network }),
    ...(version === undefined ? {} : { 'mcp.protocol.version': version }),
  };
}
