/** Signals of real servers, with real clients: both SDK generations, both eras, every transport. */
import { createSignals, type Signals } from '@toolquake/sdk/signals';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { worlds } from './worlds.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

function signalsHere(): Signals {
  const signals = createSignals({ process: undefined });
  stops.push(() => signals.stop());
  return signals;
}

/** `_count` lines of the operation histogram, as labels and value. */
function counts(signals: Signals): Record<string, string>[] {
  return signals
    .metrics()
    .split('\n')
    .flatMap((line) => {
      const [, labels, value] = /^mcp_server_operation_duration_seconds_count\{(.*)\} (\d+)$/.exec(line) ?? [];
      if (labels === undefined) return [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, said]) => [key!, said!] as const);
      return [{ ...Object.fromEntries(pairs), value: value! }];
    });
}

const calls = (signals: Signals): Record<string, string>[] => counts(signals).filter((row) => row['mcp_method_name'] === 'tools/call');

describe.each(worlds)('$name', ({ open, version, network, sessions }) => {
  test('tells calls, tool errors and protocol versions', async () => {
    const signals = signalsHere();
    const world = await open(signals);
    stops.push(() => world.stop());
    await world.client.listTools();
    for (const text of ['a', 'b', 'c']) await world.client.callTool({ name: 'echo', arguments: { text } });
    await world.client.callTool({ name: 'fails', arguments: {} });
    await vi.waitFor(() => expect(signals.snapshot().operations.inFlight).toBe(0));
    const common = {
      mcp_method_name: 'tools/call',
      mcp_protocol_version: version,
      ...(network === undefined ? {} : { network_transport: network }),
    };
    expect(calls(signals)).toEqual([
      { ...common, gen_ai_tool_name: 'echo', value: '3' },
      { ...common, gen_ai_tool_name: 'fails', error_type: 'tool_error', value: '1' },
    ]);
    const recent = signals.snapshot().operations.recent.filter(({ method }) => method === 'tools/call');
    expect(recent.map(({ tool, calls: of, toolErrors, protocolErrors }) => [tool, of, toolErrors, protocolErrors])).toEqual([
      ['echo', 3, 0, 0],
      ['fails', 1, 1, 0],
    ]);
    expect(signals.problems).toBe(0);
  });

  test('counts sessions where there are any', async () => {
    const signals = signalsHere();
    const world = await open(signals);
    await world.client.listTools();
    expect(signals.snapshot().sessions).toEqual({ active: sessions, total: sessions });
    await world.stop();
    await vi.waitFor(() => expect(signals.snapshot().sessions).toEqual({ active: 0, total: sessions }));
  });

  test('a name that is no tool is no label', async () => {
    const signals = signalsHere();
    const world = await open(signals);
    stops.push(() => world.stop());
    await world.client.callTool({ name: `no-${'such'.repeat(9)}`, arguments: {} }).catch(() => {});
    await vi.waitFor(() => expect(calls(signals)).toHaveLength(1));
    expect(calls(signals)[0]).toMatchObject({ gen_ai_tool_name: '_other' });
    expect(calls(signals)[0]?.['error_type']).toMatch(/^(-32602|tool_error)$/);
  });

  test('stops looking when it is stopped, and the server goes on', async () => {
    const signals = signalsHere();
    const world = await open(signals);
    stops.push(() => world.stop());
    signals.stop();
    const before = signals.snapshot().operations.total;
    await world.client.callTool({ name: 'echo', arguments: { text: 'still here' } });
    expect(signals.snapshot().operations.total).toBe(before);
  });
});
