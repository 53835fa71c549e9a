/**
 * The four golden signals of an MCP server, from inside: latency, traffic, errors, saturation. Any number of servers share
 * one book, because over HTTP a server may live for a single request.
 */
import type { Clock } from '../core/clock.js';
import { metricsText, type MetricFamily } from '../core/metrics-text.js';
import { backgroundClock } from '../core/surroundings.js';
import { followConnection, type ConnectionBook } from './connection.js';
import { createHealth, safeReason, type HealthCheck, type HealthReport } from './health.js';
import { createKnownTools } from './known-tools.js';
import { createGrowth } from './memory-growth.js';
import { observeConnections, type ObservableServer } from './observe-connections.js';
import { recordTo, type MeterSink, type OpenTelemetryMeter } from './open-telemetry.js';
import { createOperationBook, OTHER_NAME } from './operation-book.js';
import type { Operation } from './operation.js';
import { readPools, type Pools } from './pools.js';
import { openProcess, type ProcessPort } from './process-figures.js';
import { signalFamilies } from './signal-families.js';
import { snapshotOf, type SignalSnapshot } from './snapshot.js';

/** How signals are taken. Everything has a default. */
export type SignalsOptions = {
  /** Pools of connections by name: `{ db: pgPool(pool) }`, or any function that says the four numbers. */
  readonly pools?: Pools;
  /** What the server depends on, by name: each rejects, or returns false or a reason, when it is not well. */
  readonly checks?: Readonly<Record<string, HealthCheck>>;
  /** A check that takes longer has failed. 2000 unless told otherwise. */
  readonly checkTimeoutMs?: number;
  /** As many callers may wait for a connection before the server is not ready. 0 unless told otherwise. */
  readonly maxPoolWaiters?: number;
  /** A `Meter` of `@opentelemetry/api`, for whoever pushes. */
  readonly meter?: OpenTelemetryMeter;
  readonly clock?: Clock;
  /** The process to read; its own by default, `undefined` for none. */
  readonly process?: ProcessPort | undefined;
};

/** Readiness: health, and room for another call. */
export type ReadyReport = HealthReport;

/** See the module comment. */
export type Signals = {
  /** Observes what a server of either SDK generation does from its next connection on, and returns that server. */
  observe<Server extends ObservableServer>(server: Server): Server;
  /** What Prometheus scrapes. */
  metrics(): string;
  /** The same for people and scripts. */
  snapshot(): SignalSnapshot;
  health(): Promise<HealthReport>;
  ready(): Promise<ReadyReport>;
  /** From now on not ready: for a server that is about to stop. */
  drain(): void;
  /** Mistakes of ours, and of checks and pools: the calls went on. */
  readonly problems: number;
  /** Puts every server back, and stops looking at the process. Twice is fine. */
  stop(): void;
};

const MINUTE_MS = 60_000;
const NOT_FOUND = '-32601';

/** Signals with nothing in them. */
export function createSignals(options: SignalsOptions = {}): Signals {
  const { pools = {}, checks = {}, checkTimeoutMs = 2000, maxPoolWaiters = 0, clock = backgroundClock } = options;
  if (!(checkTimeoutMs > 0)) throw new RangeError(`checkTimeoutMs must be a number above 0, not ${checkTimeoutMs}.`);
  if (!(maxPoolWaiters >= 0)) throw new RangeError(`maxPoolWaiters must be a number from 0, not ${maxPoolWaiters}.`);
  const port = 'process' in options ? options.process : openProcess();
  const book = createOperationBook(clock.nowMs);
  const tools = createKnownTools();
  const growth = createGrowth(clock.nowMs());
  const health = createHealth({ checks, clock, timeoutMs: checkTimeoutMs, keepMs: 1000 });
  const undos = new Set<() => void>();
  const sessions = { active: 0, total: 0, seconds: 0, ended: 0 };
  const startedAtMs = clock.nowMs();
  let inFlight = 0;
  let problems = 0;
  let isDraining = false;
  let isStopped = false;

  const problem = (): void => void problems++;
  const pooled = (): ReturnType<typeof readPools> => readPools(pools, problem);
  const figures = (): ReturnType<ProcessPort['read']> | undefined => port?.read();
  const meter: MeterSink | undefined =
    options.meter === undefined ? undefined : recordTo(options.meter, { process: figures, pools: pooled, inFlight: () => inFlight });

  const connections: ConnectionBook = {
    began: () => void inFlight++,
    ended(given, result) {
      inFlight--;
      if (result !== undefined) tools.learn(given.method, given.tool, result);
      const operation: Operation = {
        ...given,
        method: given.errorType === NOT_FOUND && given.tool === undefined ? OTHER_NAME : given.method,
        tool: given.tool === undefined || tools.has(given.tool) ? given.tool : OTHER_NAME,
      };
      book.add(operation);
      meter?.operation(operation);
    },
    sessionBegan() {
      sessions.active++;
      sessions.total++;
    },
    sessionEnded(seconds, about) {
      sessions.active--;
      sessions.ended++;
      sessions.seconds += seconds;
      meter?.session(seconds, about);
    },
  };

  let stopTicking = (): void => {};
  const tick = (): void => {
    stopTicking = clock.schedule(MINUTE_MS, () => {
      port?.nextMinute();
      if (port !== undefined) growth.add(clock.nowMs(), port.read().rssBytes);
      tick();
    });
  };
  if (port !== undefined) tick();

  const state = (): Parameters<typeof snapshotOf>[0] => ({
    book,
    sessions,
    inFlight,
    problems,
    uptimeSeconds: (clock.nowMs() - startedAtMs) / 1000,
    process: figures(),
    growthPerHour: growth.perHour(),
    pools: pooled(),
  });

  return {
    observe(server) {
      if (isStopped) return server;
      // An McpServer keeps its tools; the Server inside it does not.
      tools.addServer(server);
      const open: Parameters<typeof observeConnections>[1] = (facts) => {
        tools.addServer(server);
        return followConnection(facts, connections, clock);
      };
      undos.add(observeConnections(server, open, problem));
      return server;
    },
    metrics: (): string => metricsText(families()),
    snapshot: () => snapshotOf(state()),
    health,
    async ready() {
      const report = await health();
      if (isDraining) return { ...report, status: 'unavailable', reason: 'draining' };
      const crowded = [...pooled()].find(([, { waiting }]) => waiting > maxPoolWaiters);
      if (report.status !== 'ok' || crowded === undefined) return report;
      const [name, { waiting, total, max }] = crowded;
      const reason = safeReason(`pool ${name}: ${waiting} waiting for one of ${total} connections (max ${max})`);
      return { ...report, status: 'unavailable', reason };
    },
    drain: () => void (isDraining = true),
    get problems() {
      return problems;
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      for (const undo of undos) undo();
      undos.clear();
      stopTicking();
      meter?.stop();
      port?.stop();
    },
  };

  function families(): readonly MetricFamily[] {
    return signalFamilies(state());
  }
}

/** Signals of one server, in one line. Call it before the server connects. */
export function observeServer(server: ObservableServer, options: SignalsOptions = {}): Signals {
  const signals = createSignals(options);
  signals.observe(server);
  return signals;
}
