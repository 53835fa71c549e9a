import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as kinds from '../actions/kinds/index.js';
import { experimentSchema } from './experiment-schema.js';
import { smallActions } from './fixtures/small-actions.js';
import { loadExperiment, readExperimentText, type LoadedExperiment } from './load-experiment.js';

const PROJECT = `targets:
  - { name: shop, url: "http://127.0.0.1:3001/mcp", health: { url: "http://127.0.0.1:3001/health" } }
  - { name: plain, url: "http://127.0.0.1:3002/mcp" }
`;
const folder = mkdtempSync(join(tmpdir(), 'toolquake-experiment-'));
writeFileSync(join(folder, 'toolquake.yaml'), PROJECT);

const HEAD = 'version: 1\nid: e\nquestion: Q.\nenvironment: staging\n';
const SHORT = `${HEAD}target: shop\nactions: [{ action: break-server, for: 60s }]\n`;
const WHOLE = `version: 1
id: break-search
owner: team-orders
question: Without its database the server says so.
target: shop
environment: staging
labels: { team: orders }
manager: { pm2: demo-server }
monitor: { every: 1s, failures: 3, slowFactor: 3, slowOver: 5, webhooks: ["\${SLACK_URL}", "http://127.0.0.1:9/x"], external: { port: 9105, token: "\${MONITOR_TOKEN}" } }
load: { tool: search, arguments: { q: hat }, clients: 2, perSecond: 50, timeout: 1s, retries: 2, retryDelay: 50ms, notEmpty: items }
readings: [{ name: orders, tool: count_orders, path: count, every: 2s }]
front: {}
steady:
  - { signal: error_rate, lane: control, atMost: 0.01, window: 30s, minSamples: 50 }
  - { signal: uptime_seconds, atLeast: 3600, in: before }
  - { signal: reading, name: orders, atLeast: 1, in: [before, after] }
actions: [{ id: cut, action: break-calls, params: { tool: search, delay: 2s }, for: 30s }, { action: wait, for: 5s }]
dose: { ladder: [5, 20], minFaulted: 10, seed: 7 }
rollback_on: [{ signal: error_rate, lane: control, above: 0.1, for: 0s, window: 30s, minSamples: 50 }]
expect: { alert: { reasons: [health_check_failed, connection_refused], withinCycles: 3 }, recoverWithin: 20s, selfHeal: true }
times: { before: 30s, after: 30s, tick: 200ms }
undo: { deadline: 3s }
lease: { ttl: 20s, heartbeat: 2s }
limits: { maxRuntime: 10m, maxFaultedCalls: 100, maxCalls: 5000 }
approval: { fromStage: 1 }
`;

const read = (text: string) => readExperimentText(text, folder, { actions: smallActions });

async function loaded(text: string): Promise<LoadedExperiment> {
  const path = join(folder, 'e.yaml');
  writeFileSync(path, text);
  return loadExperiment('e.yaml', path, { actions: smallActions });
}

const refusal = (text: string): Promise<string> =>
  loaded(text).then(
    () => 'accepted',
    (error: Error & { advice?: string }) => `${error.message} ${error.advice ?? ''}`.trim(),
  );

describe('an experiment file', () => {
  test('says everything that an experiment holds', async () => {
    const { experiment, target, text } = await loaded(WHOLE);
    expect(text).toBe(WHOLE);
    expect(target.target).toMatchObject({ name: 'shop', url: 'http://127.0.0.1:3001/mcp' });
    expect(experiment).toMatchObject({
      id: 'break-search',
      target: 'shop',
      manager: { kind: 'pm2', name: 'demo-server' },
      monitor: { everyMs: 1000, failures: 3, slowFactor: 3, slowOver: 5, external: { port: 9105, tokenVariable: 'MONITOR_TOKEN' } },
      load: { tool: 'search', arguments: { q: 'hat' }, perSecond: 50, timeoutMs: 1000, retries: 2, retryDelayMs: 50, notEmpty: 'items' },
      readings: [{ name: 'orders', arguments: {}, everyMs: 2000 }],
      front: { port: 0 },
      steady: [
        { signal: 'error_rate', lane: 'control', atMost: 0.01, windowMs: 30_000, minSamples: 50, phases: ['before', 'during', 'after'] },
        { signal: 'uptime_seconds', atLeast: 3600, phases: ['before'] },
        { signal: 'reading', name: 'orders', atLeast: 1, phases: ['before', 'after'] },
      ],
      actions: [
        { id: 'cut', action: 'break-calls', params: { tool: 'search', delay: 2000 }, forMs: 30_000 },
        { id: 'wait', action: 'wait', params: {}, forMs: 5000 },
      ],
      dose: { ladder: [5, 20], minFaulted: 10, seed: 7 },
      rollbackOn: [
        { signal: 'error_rate', above: 0.1, forMs: 0, origin: 'file' },
        // The action's own tripwire on error_rate gives way to that of the file.
        { signal: 'probe_p95_ms', above: 10_000, origin: 'break-calls' },
      ],
      expectAlert: { reasons: ['health_check_failed', 'connection_refused'], withinCycles: 3 },
      recoverWithinMs: 20_000,
      mustSelfHeal: true,
      approval: { fromStage: 1 },
    });
  });

  test('has the steady state of a healthy server where it names none, as far as it can be seen', async () => {
    const { experiment } = await loaded(SHORT);
    expect(experiment.steady).toMatchObject([
      { signal: 'probe_p95_ms', atMost: 500, phases: ['before', 'after'] },
      { signal: 'consecutive_failures', equals: 0 },
      { signal: 'health_status', equals: 200 },
    ]);
    expect((await loaded(`${SHORT}manager: { pm2: shop }\n`)).experiment.steady).toContainEqual(
      expect.objectContaining({ signal: 'uptime_seconds', atLeast: 3600, phases: ['before'] }),
    );
    const own = await loaded(`${SHORT}manager: { own: true }\nload: { tool: search }\n`);
    expect(own.experiment.steady.map(({ signal }) => signal)).not.toContain('uptime_seconds');
    const plain = (await loaded(SHORT.replace('shop', 'plain'))).experiment;
    expect(plain.steady.map(({ signal }) => signal)).toEqual(['probe_p95_ms', 'consecutive_failures']);
    expect(plain).toMatchObject({ dose: { ladder: [100], minFaulted: 0 }, rollbackOn: [{ signal: 'outage_seconds', above: 300 }] });
  });

  test('leaves out tripwires of actions that nobody could ever answer', async () => {
    const text = `${HEAD}target: shop\nactions: [{ action: break-calls, params: { tool: a }, for: 60s }]\n`;
    expect((await loaded(text)).experiment.rollbackOn.map(({ signal }) => signal)).toEqual(['probe_p95_ms']);
    expect((await loaded(text)).experiment.dose).toEqual({ ladder: [10, 25, 50], minFaulted: 300, seed: 1 });
  });

  test('describes its target itself, with every key of toolquake.yaml', async () => {
    const text = SHORT.replace('target: shop', 'target: { command: [node, s.js], env: { MODE: test } }');
    expect((await loaded(text)).target.target).toMatchObject({ name: 'e', kind: 'command', command: ['node', 's.js'], cwd: folder });
  });

  test('is told everything that is wrong with it at once, in the order of the text', async () => {
    const { problems } = await read(`${SHORT.replace('environment: staging\n', '')}stedy: []\nlease: { tll: 3s }\ndose: { ladder: ten }\n`);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [1, 'MISSING_KEY'],
      [6, 'UNKNOWN_KEY'],
      [7, 'UNKNOWN_KEY'],
      [8, 'WRONG_TYPE'],
    ]);
    const second = await read(`${SHORT}lease: { ttl: 10s, heartbeat: 5s }\ndose: { ladder: [50, 25], minFaulted: 3 }\nsteady: []\n`);
    expect(second.problems.map(({ line }) => line)).toEqual([7, 8, 8, 9]);
  });
});

test('what an action itself refuses stands where its parameters do, and a plan file becomes part of the experiment', async () => {
  writeFileSync(join(folder, 'rules.yaml'), 'seed: 7\nrules: [{ id: slow, fault: latency, params: { addedMs: 5 } }]\n');
  const text = (params: string): string =>
    `${SHORT.replace(/actions: .*/, `actions: [{ action: plan, params: ${params}, for: 60s }]`)}front: {}\nrollback_on: [{ signal: outage_seconds, above: 9 }]\n`;
  const of = (params: string) => readExperimentText(text(params), folder, { actions: kinds });
  expect((await of('{ file: rules.yaml }')).loaded?.experiment.actions[0]?.params).toEqual({
    plan: { version: 1, seed: 7, rules: [{ id: 'slow', fault: 'latency', params: { addedMs: 5 } }] },
  });
  expect((await of('{ plan: { rules: [{ id: a, fault: latncy }] } }')).problems).toMatchObject([
    { line: 6, advice: expect.stringContaining('Did you mean "latency"?') },
  ]);
  expect((await of('{ file: none.yaml }')).problems).toMatchObject([{ line: 6, code: 'UNREADABLE' }]);
  expect((await of('{}')).problems[0]?.message).toContain('needs either "plan" or "file"');
});

const more = (line: string): string => `${SHORT}${line}\n`;
const CALLS = 'signal: error_rate, atMost: 0.1, in: during';
const steady = (rule: string): string => more(`steady: [{ ${rule} }]`);

test.each([
  [
    SHORT.replace('break-server', 'brake-server'),
    'e.yaml:6:21: actions[0] has the unknown action "brake-server". Did you mean "break-server"?',
  ],
  [SHORT.replace('for: 60s', 'params: { prot: 1 }, for: 60s'), 'actions[0].params has the unknown key "prot". Did you mean "port"?'],
  [SHORT.replace('action: break-server', 'action: break-calls'), 'actions[0].params needs "tool"'],
  [SHORT.replace(', for: 60s', ''), 'actions[0] needs "for"'],
  [SHORT.replace('for: 60s', 'for: 60'), 'actions[0].for must be a time with its unit, not 60.'],
  [SHORT.replace('for: 60s', 'for: 60'), 'Did you mean "60s" or "60ms"?'],
  [SHORT.replace('target: shop', 'target: shpo'), 'e.yaml:5:9: target is "shpo", and'],
  [SHORT.replace('target: shop', 'target: shpo'), 'Did you mean "shop"?'],
  [SHORT.replace('target: shop', 'target: { url: "http://a", command: [b] }'), 'target needs either "url" or "command", not both.'],
  [
    SHORT.replace('target: shop', 'target: { command: [b], auth: { type: bearer, token: "${A}" } }'),
    'target.auth is for targets with a URL.',
  ],
  [more('faults: []'), 'The file has the unknown key "faults". Here it is called "actions".'],
  [more('guards: {}'), 'Here it is called "approval".'],
  [more('rollbackOn: []'), 'Here it is called "rollback_on".'],
  [more('lease: { ttl: 10s }'), 'ttl must be more than 10s.'],
  [steady('signal: probe_p95, atMost: 5'), 'Did you mean "probe_p95_ms"?'],
  [steady('signal: probe_p95_ms'), 'steady[0] needs "atLeast" or "atMost" or "equals".'],
  [steady('signal: probe_p95_ms, atMost: 5, atLeast: 1'), 'steady[0] has 2 bounds: atLeast and atMost.'],
  [steady('signal: error_rate, atMost: 0.1'), 'steady[0].signal is "error_rate", and nobody calls. Add "load".'],
  [steady('signal: error_rate, atMost: 0.1').replace('break-server', 'call-often'), 'there are calls only while the actions make them'],
  [more(`steady: [{ ${CALLS} }, { signal: probe_success, atLeast: 1, in: before }]`).replace('break-server', 'call-often'), 'accepted'],
  [steady('signal: task_failure_rate, atMost: 0.1'), 'nobody calls'],
  [steady('signal: uptime_seconds, atLeast: 1'), 'nobody knows the process'],
  [steady('signal: health_status, equals: 200').replace('shop', 'plain'), 'the target has no health URL'],
  [steady('signal: reading, atLeast: 1'), 'steady[0] needs "name"'],
  [`${steady('signal: reading, name: ordres, atLeast: 1')}readings: [{ name: orders, tool: t, path: a }]\n`, 'Did you mean "orders"?'],
  [steady('signal: probe_success, name: a, atLeast: 1'), 'steady[0].name is for the signal "reading"'],
  [steady('signal: probe_success, lane: control, atLeast: 1'), 'has no lanes'],
  [`${steady('signal: error_rate, lane: control, atMost: 1')}load: { tool: t }\n`, 'leave no call untouched'],
  [steady('signal: probe_success, atLeast: 1, in: [befor]'), 'Did you mean "before"?'],
  [
    steady('signal: probe_success, atLeast: 1, window: 60s, minSamples: 100'),
    'no window of 1m will ever see so many. A window of 6000s would.',
  ],
  [steady('signal: probe_success, atLeast: 1, window: 2h'), 'longer than the whole run may be (1h)'],
  [more('rollback_on: [{ signal: outage_seconds, above: 3, for: 2h }]'), 'rollback_on[0].for is 2h'],
  [SHORT.replace('break-server', 'wait'), 'The file has no tripwire'],
  [more('dose: { ladder: [10, 10] }'), 'dose.ladder[1] is 10 after 10'],
  [more('dose: { ladder: [0] }'), 'from 1 to 100'],
  [more('manager: { pm2: a, docker: b }'), 'manager says 2 things: pm2 and docker.'],
  [more('manager: {}'), 'manager says nothing'],
  [more('manager: { own: true }'), 'each caller starts a server of its own: nobody calls'],
  [more('manager: { pm2: "--all" }'), 'manager.pm2 cannot be'],
  [more('manager: { docker: "a;b" }'), 'manager.docker cannot be'],
  [more('readings: [{ name: a, tool: t, path: "a[" }]'), 'readings[0].path is no path into an answer: "a[".'],
  [more('expect: { alert: { reasons: [conection_refused] } }'), 'Did you mean "connection_refused"?'],
  [more('monitor: { every: 10ms }'), 'that is load, not monitoring'],
  [more('monitor: { external: { port: 1, token: s3cret } }'), 'secrets come from the environment'],
  [more('times: { tick: 5s }'), 'within two seconds'],
  // A window of five probes is longer than the quiet phases.
  [more('limits: { maxRuntime: 10m }'), 'take 11m together, windows included'],
  [more('steady: [{ signal: probe_success, atLeast: 1, window: 50m }]'), 'take 101m together'],
  [
    steady('signal: probe_success, atLeast: 99'),
    'steady[0].atLeast is 99, and probe_success is a share from 0 to 1: it never holds. 99 % is 0.99.',
  ],
  [steady('signal: probe_success, atLeast: 0'), 'it always holds'],
  [`${steady('signal: error_rate, atMost: 1')}load: { tool: t }\n`, 'it always holds. 1 % is 0.01.'],
  [steady('signal: consecutive_failures, equals: -1'), 'is never less than 0: it never holds'],
  [more('rollback_on: [{ signal: host_cpu, above: 90 }]'), 'it never trips. 90 % is 0.9.'],
  [more('rollback_on: [{ signal: probe_success, below: 0 }]'), 'it never trips'],
  [more('rollback_on: [{ signal: outage_seconds, above: -1 }]'), 'it always trips'],
  [more('rollback_on: [{ signal: outage_seconds, above: 3, for: 60s }]'), 'is 1m, and the faults last 1m: it could never trip'],
  [steady('signal: probe_success, atLeast: 1, in: [during, after]'), 'no rule that counts before the fault'],
  [
    `${steady('signal: error_rate, lane: faulted, atMost: 0.5')}load: { tool: t }\n`,
    'steady[0].in is before, during, after, and calls of the lane "faulted" are there during the fault alone. Write "in: during".',
  ],
  [steady('signal: probe_success, atLeast: 1, in: before'), 'nothing could be violated'],
  [more('readings: [{ name: a, tool: t, path: b, every: 1ms }]'), 'load, which no limit counts'],
  [
    `${steady('signal: reading, name: a, atLeast: 1, window: 1s')}readings: [{ name: a, tool: t, path: b }]\n`,
    'no window of 1s will ever see so many',
  ],
  [more('undo: { deadline: 1ms }'), 'The nearest allowed value is 500.'],
  [more('lease: { ttl: 3ms, heartbeat: 1ms }'), 'lease.heartbeat must be a number from 100'],
  [SHORT.replace('target: shop', 'target: { url: "http://127.0.0.1:99999/mcp" }'), 'e.yaml:5:16: target.url is no address.'],
  [SHORT.replace('target: shop', 'target: { url: "http://a", health: { url: "http://[" } }'), 'target.health.url is no address.'],
  [more('load: { tool: t, arguments: &a { again: *a } }'), 'An alias stands inside of what it means'],
  ['question: "  "\n', 'question cannot be'],
  [`${SHORT}---\n${SHORT}`, 'An experiment is one YAML document'],
  ['', 'An experiment needs version, id, question, target, environment, actions.'],
  [SHORT.replace('id: e\n', 'id: ../e\n'), 'For example: block-database'],
  [
    SHORT.replace(/actions: .*/, 'actions: [{ action: wait, for: 1s }, { action: wait, for: 1s }]'),
    'Two of the actions are called "wait".',
  ],
  ['', 'There is nothing in it.'],
  ['- a', 'The file must be a mapping'],
])('%j is refused: %s', async (text, message) => {
  expect(await refusal(text)).toContain(message);
});

test('an address of a webhook that holds its key is refused, and not repeated', async () => {
  const text = await refusal(more('monitor: { webhooks: ["https://hooks.example/services/T0/B0/s3cr3t"] }'));
  expect(text).toContain('it comes from the environment');
  expect(text).not.toContain('s3cr3t');
});

test.each([
  ['{}', 'block-dependency must be told whom to hit'],
  ['{ user: shop, scope: host }', 'scope: host contradicts namespace and user'],
])('whom a dependency is cut off from is said before anybody runs or approves it: %s', async (more, message) => {
  const params = more === '{}' ? '' : `, ${more.slice(2, -2)}`;
  const text = SHORT.replace('action: break-server', `action: block-dependency, params: { host: 127.0.0.1, port: 5432${params} }`);
  const { problems } = await readExperimentText(text, folder, { actions: kinds });
  expect(problems).toMatchObject([{ line: 6, message: expect.stringContaining(message) }]);
});

describe('any text', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ maxLength: 200 }));
  const value = fc.oneof(
    fc.constantFrom('shop', 'break-server', 'wait', '60s', 'error_rate', 'before', 1, 0, -1, 1e308, true, null),
    fc.jsonValue(),
  );

  test('is an experiment or has problems with a place; it never breaks us', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (source) => {
        const { loaded: found, problems } = await read(source);
        expect(found === undefined).toBe(problems.length > 0);
        for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  test('with anything in the place of any value is an experiment or has problems', async () => {
    const whole = parse(WHOLE) as Record<string, unknown>;
    const places = pathsOf(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...places), value), { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = structuredClone(whole);
        for (const [path, given] of changes) setAt(changed, path, given);
        const { loaded: found, problems } = await read(JSON.stringify(changed));
        expect(found === undefined).toBe(problems.length > 0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the schema of experiment files', () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(experimentSchema(smallActions));

  test('accepts what we accept, and knows the parameters of each action', () => {
    expect(validate(parse(WHOLE))).toBe(true);
    expect(validate(parse(SHORT))).toBe(true);
    expect(validate(parse(SHORT.replace('for: 60s', 'params: { port: 0 }, for: 60s')))).toBe(false);
    expect(validate(parse(SHORT.replace('break-server', 'break-calls')))).toBe(false);
    expect(validate(parse(SHORT.replace('break-server', 'brake')))).toBe(false);
    expect(validate(parse(more('faults: []')))).toBe(false);
  });

  test('never refuses a file that loads', async () => {
    const whole = parse(WHOLE) as Record<string, unknown>;
    const places = pathsOf(whole);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constantFrom('5s', 'wait', 'x')),
        async (path, given) => {
          const changed = structuredClone(whole);
          setAt(changed, path, given);
          const { loaded: found } = await read(JSON.stringify(changed));
          if (found !== undefined) expect([changed, validate(changed)]).toEqual([changed, true]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('is published as the tables define it (update it with: npx vitest run --project unit packages/toolquake/src/config/load-experiment.test.ts -u)', async () => {
    const file = fileURLToPath(new URL('../../schemas/experiment.schema.json', import.meta.url));
    await expect(`${JSON.stringify(experimentSchema(kinds), null, 2)}\n`).toMatchFileSnapshot(file);
  });
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]));
  return path.length === 0 ? below : [path, ...below];
}

function setAt(value: unknown, path: Path, given: unknown): void {
  const [first, ...rest] = path;
  if (typeof value !== 'object' || value === null || first === undefined) return;
  const holder = value as Record<string | number, unknown>;
  if (rest.length === 0) holder[first] = given;
  else setAt(holder[first], rest, given);
}

describe('what stands in other files', () => {
  const text = `${HEAD}target: shop\nfront: {}\nrollback_on: [{ signal: outage_seconds, above: 300 }]\nactions:\n  - action: plan\n    for: 60s\n    params: { file: rules.yaml }\n`;
  const readWith = (source: string) => readExperimentText(source, folder, { actions: kinds });

  test('is part of the experiment once it is loaded, so an approval covers it', async () => {
    writeFileSync(join(folder, 'rules.yaml'), 'version: 1\nrules:\n  - { id: slow, fault: latency, params: { addedMs: 50 } }\n');
    const { loaded: found, problems } = await readWith(text);
    expect(problems).toEqual([]);
    expect(found?.experiment.actions[0]?.params).toEqual({
      plan: { version: 1, seed: 0, rules: [{ id: 'slow', fault: 'latency', params: { addedMs: 50 } }] },
    });
  });

  test('is refused at the line of the step, with the nearest good word', async () => {
    writeFileSync(join(folder, 'rules.yaml'), 'version: 1\nrules:\n  - { id: slow, fault: latencyy }\n');
    const { problems } = await readWith(text);
    expect(problems).toMatchObject([{ line: 11, message: expect.stringContaining('latencyy') }]);
    const inline = text.replace('{ file: rules.yaml }', '{ plan: { rules: [{ id: a, fault: latencyy }] } }');
    expect((await readWith(inline)).problems).toMatchObject([{ line: 11, message: expect.stringContaining('latencyy') }]);
  });
});
