/** Signals through the real OpenTelemetry API and SDK, as a host application would export them. */
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { createSignals, type PoolFigures } from '@toolquake/sdk/signals';
import { expect, test, vi } from 'vitest';
import { worlds } from './worlds.js';

const [, , , sessions] = worlds;

test('operations, sessions, pools and the process are exported by their names', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  let readings = 0;
  const db = (): PoolFigures => (readings++, { max: 4, total: 4, idle: 1, waiting: 2 });
  const signals = createSignals({ meter: provider.getMeter('server'), pools: { db } });
  const world = await sessions.open(signals);
  await world.client.callTool({ name: 'echo', arguments: { text: 'hello' } });
  await world.client.callTool({ name: 'fails', arguments: {} });
  await world.stop();
  await vi.waitFor(() => expect(signals.snapshot().sessions.active).toBe(0));
  await reader.forceFlush();

  const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  const points = (name: string): [unknown, unknown][] =>
    metrics
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }): [unknown, unknown] => [attributes, value]));
  const common = {
    'mcp.method.name': 'tools/call',
    'network.transport': 'tcp',
    'mcp.protocol.version': '2025-11-25',
    'gen_ai.operation.name': 'execute_tool',
  };
  const one = expect.objectContaining({ count: 1 }) as unknown;
  expect(points('mcp.server.operation.duration')).toEqual(
    expect.arrayContaining([
      [{ ...common, 'gen_ai.tool.name': 'echo' }, one],
      [{ ...common, 'gen_ai.tool.name': 'fails', 'error.type': 'tool_error' }, one],
    ]),
  );
  expect(points('mcp.server.session.duration')).toEqual([[{ 'network.transport': 'tcp', 'mcp.protocol.version': '2025-11-25' }, one]]);
  expect(points('db.client.connection.pending_requests')).toEqual([[{ 'db.client.connection.pool.name': 'db' }, 2]]);
  expect(points('v8js.memory.heap.limit')[0]?.[1]).toBeGreaterThan(1e6);
  const operations = metrics.find(({ descriptor }) => descriptor.name === 'mcp.server.operation.duration');
  expect(operations?.descriptor).toMatchObject({
    unit: 's',
    advice: { explicitBucketBoundaries: expect.arrayContaining([0.01, 300]) as unknown },
  });

  signals.stop();
  const before = readings;
  await reader.forceFlush();
  expect(readings).toBe(before);
  await provider.shutdown();
});
