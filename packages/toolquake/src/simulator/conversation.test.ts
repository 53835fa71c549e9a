import {
  disconnect,
  defineFault,
  emit,
  EMPTY_PLAN,
  forward,
  hold,
  pace,
  signalServer,
  type Effect,
  type Fault,
  type JsonObject,
  type Plan,
  type Rule,
  type TrafficEvent,
} from '@toolquake/sdk/core';
import { latency } from '@toolquake/sdk/faults';
import { expect, test } from 'vitest';
import { runConversation, type ScriptedServer, type Step } from './conversation.js';

const server: ScriptedServer = (message) =>
  message['id'] === undefined ? [] : [{ message: { jsonrpc: '2.0', id: message['id'], result: { content: [] } }, afterMs: 10 }];

const hello: JsonObject = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', clientInfo: { name: 'agent', version: '1' } },
};
const call = (id: number): Step => ({
  kind: 'client-sends',
  message: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pay' } },
});
const opening: readonly Step[] = [{ kind: 'connect' }, { kind: 'client-sends', message: hello }, { kind: 'advance', ms: 10 }];

const small = (decide: (event: TrafficEvent) => readonly Effect[], trigger: 'call' | 'connect' = 'call'): Fault =>
  defineFault({ type: 'small', summary: 'For a test.', carriers: ['mcp'], role: 'terminal', trigger, params: {}, decide });

function planOf(fault: Fault, rule: Partial<Rule> = {}): Plan {
  const filled: Rule = {
    id: 'rule',
    fault,
    params: {},
    when: {},
    at: {},
    probability: 1,
    shape: { kind: 'iid' },
    phase: fault.phases[0]!,
    isEnabled: true,
    ...rule,
  };
  return { ...EMPTY_PLAN, seed: 42, rules: [filled] };
}

test('a delayed call is seen later, on virtual time, by the client only', () => {
  const plan = planOf(latency, { params: { addedMs: 250, jitterMs: 0 } });
  const { transcript, journal } = runConversation({
    plan,
    server,
    steps: [...opening, call(1), { kind: 'settle', maxEvents: 100 }, { kind: 'close' }],
  });
  expect(transcript.server.map(({ atMs }) => atMs)).toEqual([0, 10]);
  expect(transcript.client.map(({ atMs }) => atMs)).toEqual([10, 270]);
  expect(journal).toContainEqual(expect.objectContaining({ kind: 'call', session: 'agent#1', exchange: 2, outcome: 'ok', latencyMs: 260 }));
  expect(journal.at(-1)).toMatchObject({ kind: 'end', fired: { rule: 1 }, calls: 1 });
});

test('a call that hangs never reaches the server and is recorded when the client leaves', () => {
  const plan = planOf(small((event) => (event.kind === 'frame' && event.part === 'request' ? [hold(event.frame, 'never')] : [])));
  const { transcript, journal } = runConversation({
    plan,
    server,
    steps: [...opening, call(1), { kind: 'advance', ms: 60_000 }, { kind: 'close' }],
  });
  expect(transcript.server).toHaveLength(1);
  expect(journal).toContainEqual(expect.objectContaining({ kind: 'call', outcome: 'no-answer' }));
});

test('a refused connection carries nothing, and time makes it possible again', () => {
  const plan = planOf(
    small((event) => (event.kind === 'connect' ? [disconnect('refuse', 100)] : []), 'connect'),
    { at: { first: 1 } },
  );
  const steps: Step[] = [
    { kind: 'connect' },
    call(1),
    { kind: 'advance', ms: 99 },
    { kind: 'connect' },
    { kind: 'advance', ms: 1 },
    ...opening,
  ];
  const { transcript } = runConversation({ plan, server, steps });
  expect(transcript.client.map(({ what, atMs }) => [what, atMs])).toEqual([
    ['refused', 0],
    ['refused', 99],
    ['message', 110],
  ]);
});

test('a frozen server takes nothing in until it moves again', () => {
  const plan = planOf(
    small((event) => (event.kind === 'frame' && event.part === 'request' ? [signalServer('freeze', 500), forward(event.frame)] : [])),
  );
  const { transcript } = runConversation({ plan, server, steps: [...opening, call(1), { kind: 'settle', maxEvents: 100 }] });
  expect(transcript.server.map(({ atMs }) => atMs)).toEqual([0, 510]);
  expect(transcript.client.map(({ atMs }) => atMs)).toEqual([10, 520]);
});

test('a server that ignores the end of its input stays for as long as it was told to', () => {
  const plan = planOf(
    small((event) => (event.kind === 'frame' && event.part === 'request' ? [signalServer('ignore-eof', 500), forward(event.frame)] : [])),
  );
  const end: readonly Step[] = [{ kind: 'close' }, { kind: 'settle', maxEvents: 100 }];
  const endedAtMs = (steps: readonly Step[]): number | undefined =>
    runConversation({ plan, server, steps: [...opening, ...steps, ...end] }).transcript.server.find(({ what }) => what === 'ended')?.atMs;
  expect([endedAtMs([]), endedAtMs([call(1)])]).toEqual([10, 510]);
});

test('a server that crashed loses every call, and is back after a while', () => {
  const plan = planOf(
    small((event) => (event.kind === 'frame' && event.part === 'request' && event.exchange.id === 2 ? [signalServer('crash', 100)] : [])),
  );
  const { transcript, journal } = runConversation({
    plan,
    server,
    steps: [
      ...opening,
      call(1),
      call(2),
      { kind: 'connect' },
      { kind: 'advance', ms: 100 },
      { kind: 'connect' },
      call(3),
      { kind: 'settle', maxEvents: 100 },
    ],
  });
  expect(transcript.client.slice(1).map((seen) => ('id' in seen ? `${seen.what} ${seen.id}` : seen.what))).toEqual([
    'disconnected 1',
    'disconnected 2',
    'refused',
    'message',
  ]);
  expect(journal.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []))).toEqual(['disconnected', 'disconnected', 'ok']);
});

test('heartbeats, slices and broken connections are seen as what they are', () => {
  const plan = planOf(
    small((event) => {
      if (event.kind !== 'frame') return [];
      if (event.part === 'request') return [forward(event.frame), emit('heartbeat', { everyMs: 1, count: 2 })];
      return [pace(event.frame, { sliceBytes: 20, everyMs: 5 }), disconnect('end', 0, 50)];
    }),
  );
  const { transcript } = runConversation({ plan, server, steps: [...opening, call(1), { kind: 'settle', maxEvents: 100 }] });
  expect(transcript.client.slice(1).map(({ what }) => what)).toEqual(['heartbeat', 'heartbeat', 'message', 'disconnected']);
  expect(transcript.client.at(-2)).toMatchObject({ slices: 3 });
});
