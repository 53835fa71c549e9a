/** Journals as proxies and the simulator write them, made from seeds: large ones cost no room in the repository. */
import {
  analyticBlastRadius,
  createSketch,
  startTally,
  type CallOutcome,
  type JournalEntry,
  type Tally,
} from '../../packages/sdk/src/core/index.js';

/** Numbers in [0, 1), the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TOOLS = [
  { tool: 'search_orders', typicalMs: 120 },
  { tool: 'get_customer', typicalMs: 18 },
  { tool: 'create_refund', typicalMs: 240 },
  { tool: 'list_tickets', typicalMs: 45 },
  { tool: 'send_mail', typicalMs: 700 },
];

/** Two minutes of a stdio proxy in front of a shop: slow searches, a bad half minute, lost refunds, changed prices. */
export function* liveJournal(options: { readonly calls?: number; readonly seed?: number } = {}): Generator<JournalEntry> {
  const { calls = 1500, seed = 42 } = options;
  const next = numbersFrom(seed);
  const fired: Record<string, number> = { 'slow-search': 0, 'bad-half-minute': 0, 'lost-refund': 0, 'wrong-price': 0, 'never-matched': 0 };
  yield {
    v: 1,
    kind: 'start',
    atMs: 0,
    transport: 'stdio',
    seed,
    rules: [
      { id: 'slow-search', fault: 'latency' },
      { id: 'bad-half-minute', fault: 'error-response' },
      { id: 'lost-refund', fault: 'lost-ack' },
      { id: 'wrong-price', fault: 'schema-drift' },
      { id: 'never-matched', fault: 'hang' },
      { id: 'switched-off', fault: 'freeze', isEnabled: false },
    ],
    target: 'shop',
    startedAt: '2026-11-18T09:30:00.000Z',
  };
  for (let call = 1; call <= calls; call++) {
    const { tool, typicalMs } = TOOLS[Math.floor(next() * TOOLS.length)]!;
    const atMs = Math.round((call / calls) * 120_000);
    const ref = { session: 'agent#1', exchange: call, method: 'tools/call', tool, id: call } as const;
    const draw = { scope: `agent#1 ${tool}`, match: call } as const;
    let latencyMs = typicalMs * Math.exp(0.35 * (next() + next() + next() - 1.5));
    let outcome: CallOutcome = next() < 0.004 ? 'tool-error' : 'ok';
    const faults: string[] = [];
    const deliver = (rule: string): void => {
      fired[rule] = (fired[rule] ?? 0) + 1;
      faults.push(rule);
    };
    if (tool === 'search_orders' && next() < 0.3) {
      latencyMs += 2500 + 1500 * next();
      deliver('slow-search');
      yield { kind: 'fault', atMs, rule: 'slow-search', fault: 'latency', state: 'delivered', effects: ['forward'], ...draw, ...ref };
    }
    if (atMs > 45_000 && atMs < 78_000 && next() < 0.45) {
      outcome = 'rpc-error';
      deliver('bad-half-minute');
      yield { kind: 'fault', atMs, rule: 'bad-half-minute', fault: 'error-response', state: 'delivered', ...draw, ...ref };
      if (tool === 'create_refund') {
        yield { kind: 'fault', atMs, rule: 'lost-refund', fault: 'lost-ack', state: 'suppressed', by: 'bad-half-minute', ...draw, ...ref };
      }
    } else if (tool === 'create_refund' && next() < 0.05) {
      outcome = 'no-answer';
      latencyMs = 60_000;
      deliver('lost-refund');
      yield { kind: 'fault', atMs, rule: 'lost-refund', fault: 'lost-ack', state: 'delivered', ...draw, ...ref };
    } else if (tool === 'get_customer' && next() < 0.08) {
      if (next() < 0.2) {
        yield {
          kind: 'fault',
          atMs,
          rule: 'wrong-price',
          fault: 'schema-drift',
          state: 'not-delivered',
          why: 'too large',
          ...draw,
          ...ref,
        };
      } else {
        deliver('wrong-price');
        const changes = [
          { path: '/structuredContent/credit', clean: Math.round(1000 * next()), dirty: `${Math.round(1000 * next())} EUR` },
        ];
        yield { kind: 'fault', atMs, rule: 'wrong-price', fault: 'schema-drift', state: 'delivered', changes, ...draw, ...ref };
      }
    }
    const isAltered = faults.includes('wrong-price');
    yield {
      kind: 'call',
      atMs,
      ...ref,
      outcome,
      latencyMs,
      task: `task-${Math.ceil(call / 6)}`,
      era: 'legacy',
      ...(faults.length === 0 ? {} : { faults }),
      ...(isAltered ? { isAltered: true as const } : {}),
    };
  }
  yield { kind: 'problem', atMs: 90_000, message: 'a fault threw: Cannot read properties of undefined' };
  yield { kind: 'end', atMs: 120_000, fired, calls };
}

const VARIANTS = [
  { variant: 'without', retries: 0, callsPerOperation: 1, isBounded: false },
  { variant: 'with retries', retries: 2, callsPerOperation: 1.9, isBounded: false },
  { variant: 'with retry budget and breaker', retries: 2, callsPerOperation: 1.12, isBounded: true },
];

const FANOUTS = [2, 4, 8, 16];
const RATES = [0.02, 0.05];
const TASKS = 200;

/** A scenario comparison: variants x (fan-out x error rate) x seeds, with a pool that is cut from 20 s to 40 s. */
export function* comparisonJournal(options: { readonly seeds?: number } = {}): Generator<JournalEntry> {
  for (const about of VARIANTS) {
    for (const errorRate of RATES) {
      for (const fanout of FANOUTS) {
        for (let seed = 1; seed <= (options.seeds ?? 20); seed++) yield* comparedRun({ ...about, errorRate, fanout, seed });
      }
    }
  }
}

type ComparedRun = (typeof VARIANTS)[number] & { readonly errorRate: number; readonly fanout: number; readonly seed: number };

function* comparedRun({ variant, retries, callsPerOperation, isBounded, errorRate, fanout, seed }: ComparedRun): Generator<JournalEntry> {
  const next = numbersFrom(seed * 7919 + fanout * 31 + Math.round(errorRate * 1000) + retries * 13 + (isBounded ? 1 : 0));
  const onPaper = analyticBlastRadius(errorRate ** (1 + retries), fanout);
  yield {
    v: 1,
    kind: 'start',
    atMs: 0,
    transport: 'simulator',
    seed,
    rules: [{ id: 'failing-calls', fault: 'error-response' }],
    target: variant,
  };
  yield* windows({ retries, isBounded, errorRate, fanout, next });
  const failureRate = onPaper + (retries > 0 && !isBounded ? 0.05 * errorRate * fanout : 0);
  const failedTasks = Array.from({ length: TASKS }, next).filter((draw) => draw < failureRate).length;
  const slow = retries > 0 && !isBounded ? 2.6 : 1;
  const taskLatency = createSketch();
  for (let task = 0; task < TASKS; task++) taskLatency.add(fanout * 22 * slow * (0.7 + next() + 4 * next() ** 12));
  const latency = Object.fromEntries(
    TOOLS.slice(0, 4).map(({ tool, typicalMs }) => {
      const sketch = createSketch();
      for (let call = 0; call < 100; call++) sketch.add(typicalMs * slow * (0.6 + next() + 6 * next() ** 10));
      return [tool, sketch.toJSON()] as const;
    }),
  );
  const calls = Math.round(TASKS * fanout * (1 + (callsPerOperation - 1) * (0.6 + 0.4 * next())));
  yield {
    kind: 'summary',
    atMs: 60_000,
    scenario: 'pool exhaustion',
    variant,
    point: { fanout, errorRate },
    seed,
    tally: tallyOf({ calls, operations: TASKS * fanout, failedTasks, errorRate }),
    deceivedTasks: retries === 0 ? 0 : Math.floor(3 * next()),
    latency,
    taskLatency: taskLatency.toJSON(),
    figures: { poolWaitMs: 40 * slow * (0.5 + next()) },
    onPaper,
    events: 10_000,
  };
  yield { kind: 'end', atMs: 60_000, fired: { 'failing-calls': Math.round(calls * errorRate) }, calls };
}

function tallyOf(given: { calls: number; operations: number; failedTasks: number; errorRate: number }): Tally {
  const tally = startTally({ knowsExecutions: true });
  const correct = Math.round(given.calls * (1 - given.errorRate));
  Object.assign(tally.calls, { seen: given.calls, responded: correct, correct, correctInTime: correct, inTime: given.calls });
  Object.assign(tally.operations, {
    seen: given.operations,
    responded: given.operations,
    correct: given.operations,
    inTime: given.operations,
  });
  return Object.assign(tally, { wanted: given.operations, executed: correct, tasks: TASKS, failedTasks: given.failedTasks });
}

type Weather = { retries: number; isBounded: boolean; errorRate: number; fanout: number; next: () => number };

function* windows({ retries, isBounded, errorRate, fanout, next }: Weather): Generator<JournalEntry> {
  const isStorm = retries > 0 && !isBounded;
  for (let second = 1; second <= 60; second++) {
    const atMs = second * 1000;
    if (second === 20) yield { kind: 'change', atMs: 20_000, what: 'connection pool', from: 20, to: 4, isDisturbed: true };
    if (second === 40) yield { kind: 'change', atMs: 40_000, what: 'connection pool', from: 4, to: 20, isDisturbed: false };
    if (isStorm && second === 24) yield { kind: 'mark', atMs, mark: 'pool ran dry', where: 'orders' };
    if (isStorm && second === 28) yield { kind: 'mark', atMs, mark: 'retries jumped', where: 'agent' };
    if (isStorm && second === 34) {
      yield { kind: 'sequence', atMs, sequence: 'retry storm', marks: ['pool ran dry', 'retries jumped'], sinceMs: 24_000 };
    }
    const isCut = second > 20 && second <= 40;
    const lingers = isStorm && second > 40 && second < 52;
    const pain = isCut ? Math.min(1, (second - 20) / 6) : lingers ? (52 - second) / 12 : 0;
    const share = Math.min(0.97, errorRate * fanout * 0.4 + pain * (isBounded ? 0.15 : isStorm ? 0.8 : 0.5)) * (0.85 + 0.3 * next());
    const tasks = 20;
    const retried = Math.round(tasks * fanout * (retries === 0 ? 0 : isBounded ? 0.1 * pain : 1.8 * pain));
    yield {
      kind: 'window',
      atMs,
      lastsMs: 1000,
      tasks,
      failedTasks: Math.min(tasks, Math.round(tasks * share)),
      calls: tasks * fanout + retried,
      retries: retried,
      failedCalls: Math.round(tasks * fanout * share * 0.6),
      refused: isBounded ? Math.round(tasks * fanout * 0.4 * pain) : 0,
      inFlight: Math.round(10 + 90 * pain),
      p50Ms: 20 + 60 * pain * next(),
      p99Ms: (60 + pain * (isStorm ? 2400 : isBounded ? 160 : 900)) * (0.8 + 0.4 * next()),
    };
  }
}

/** Load up and down again, over seeds: one system recovers late, the other at once. */
export function* hysteresisJournal(options: { readonly seeds?: number } = {}): Generator<JournalEntry> {
  const systems = [
    { target: 'without', breaksAt: 9, recoversAt: 4 },
    { target: 'with retry budget', breaksAt: 10.5, recoversAt: 10 },
  ];
  for (const { target, breaksAt, recoversAt } of systems) {
    for (let seed = 1; seed <= (options.seeds ?? 20); seed++) {
      const next = numbersFrom(seed * 101 + breaksAt * 7);
      yield { v: 1, kind: 'start', atMs: 0, transport: 'simulator', seed, rules: [], target };
      let atMs = 0;
      for (const [way, turn] of [
        ['up', breaksAt],
        ['down', recoversAt],
      ] as const) {
        for (let step = 1; step <= 12; step++) {
          const value = way === 'up' ? step : 13 - step;
          const share = 0.9 / (1 + Math.exp(-1.6 * (value - turn + 1.2 * (next() - 0.5))));
          atMs += 10_000;
          yield {
            kind: 'level',
            atMs,
            way,
            what: 'tasks per second',
            value,
            failedShare: Math.min(1, share + 0.02 * next()),
            tasks: value * 10,
          };
        }
      }
      yield { kind: 'end', atMs, fired: {}, calls: 0 };
    }
  }
}

/** Names that try to get out of the page: in every field that a report shows. */
export function* hostileJournal(name: string): Generator<JournalEntry> {
  const ref = { session: name, exchange: 1, method: 'tools/call', tool: name } as const;
  yield { v: 1, kind: 'start', atMs: 0, transport: 'simulator', seed: 1, rules: [{ id: name, fault: name }], target: name, guarded: name };
  yield { kind: 'change', atMs: 1, what: name, from: name, to: name, isDisturbed: true };
  for (const state of ['delivered', 'suppressed', 'not-delivered'] as const) {
    const changes = [{ path: name, clean: name, dirty: name }];
    yield { kind: 'fault', atMs: 2, rule: name, fault: name, state, scope: name, match: 1, by: name, why: name, changes, ...ref };
  }
  for (let call = 0; call < 30; call++) {
    yield {
      kind: 'call',
      atMs: 10 * call,
      ...ref,
      outcome: call % 3 === 0 ? 'rpc-error' : 'ok',
      latencyMs: 5 + call,
      task: name,
      faults: [name],
    };
  }
  yield { kind: 'problem', atMs: 3, message: name };
  yield { kind: 'mark', atMs: 30, mark: name, where: name };
  yield { kind: 'sequence', atMs: 60, sequence: name, marks: [name], sinceMs: 30 };
  for (const way of ['up', 'down'] as const) {
    for (const value of [1, 2, 3]) yield { kind: 'level', atMs: 100, way, what: name, value, failedShare: value / 4, tasks: 10 };
  }
  for (const value of [1, 2, 3]) {
    const sketch = createSketch();
    sketch.add(value);
    const data = sketch.toJSON();
    yield {
      kind: 'summary',
      atMs: 200,
      scenario: name,
      variant: name,
      point: { [name]: value },
      seed: 1,
      tally: tallyOf({ calls: 10, operations: 10, failedTasks: value, errorRate: 0.1 }),
      deceivedTasks: 1,
      latency: { [name]: data },
      taskLatency: data,
      figures: { [name]: 1 },
      onPaper: 0.1,
      events: 1,
    };
  }
  yield { kind: 'end', atMs: 300, fired: { [name]: 1 }, calls: 30 };
}

/** Entries as the lines of a file. */
export function journalText(entries: Iterable<JournalEntry>): string {
  return [...entries].map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
