/** The clauses of the contract that every fault keeps, one check each. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { checkPlan } from '../core/check-plan.js';
import type { TrafficEvent } from '../core/event.js';
import { createCatalogue, type Fault, type Phase } from '../core/fault.js';
import { frameMessage } from '../core/frame.js';
import { startSession, type Era } from '../core/session.js';
import { arrived, exchangeFor } from './events.js';
import { EXAMPLE_DATA, exampleAnswer, exampleCall, exampleResult, toClient, toServer } from './example-messages.js';
import { hostileScripts } from './hostile-traffic.js';
import { messageProblems } from './mcp-shape.js';
import { memoryWeight } from './memory-weight.js';
import { haveOrdinaryConversation, messagesOf } from './ordinary-conversation.js';
import { playScript } from './play-script.js';
import { askFault, paramsOf, testContext } from './test-context.js';
import { createTestRig, type TestRig } from './test-rig.js';

/** What the suite needs to know about a fault. */
export type FaultContractOptions = {
  /** Parameters that make it act in an ordinary conversation; defaults for the rest. */
  readonly example: Readonly<Record<string, unknown>>;
  /** False for a fault that sends broken messages on purpose. */
  readonly claimsValid?: boolean;
};

/** One promise and the check that throws when it is broken. */
export type ContractClause = { readonly promise: string; readonly check: () => void };

type Params = Readonly<Record<string, unknown>>;

const SENTENCE = /^[A-Z].*\.$/s;

/** Words that would tell an agent that it is being tested. */
const TELL_TALE = /chaos|inject|toolquake|monkey|\bfault/i;

/** A fault may remember this much per scope. Thousands of scopes must fit into one process. */
const MAX_MEMORY_BYTES = 4 * 1024 * 1024;

/** The contract for one fault. */
export function contractClauses(fault: Fault, { example, claimsValid = true }: FaultContractOptions): readonly ContractClause[] {
  const phase = fc.constantFrom(...fault.phases);
  const perConversation = fault.eras.flatMap((era) => fault.phases.map((when) => ({ era, phase: when })));
  const inEach = (promise: string, check: (rig: TestRig, era: Era) => void): readonly ContractClause[] =>
    perConversation.map((how) => ({
      promise: `${promise} (${how.era}, ${how.phase})`,
      check: () => check(converse(fault, example, how), how.era),
    }));
  return [
    { promise: 'describes itself, and says why where it cannot act', check: () => describesItself(fault) },
    { promise: 'describes every parameter, with a default within its range', check: () => describesParameters(fault, example) },
    ...inEach('acts in an ordinary conversation', (rig) => expect(rig.outcomes).toContain('delivered')),
    {
      promise: 'does the same about the same events',
      check() {
        const twice = fc.property(hostileScripts, phase, (script, when) => {
          expect(playScript(fault, script, example, when)).toEqual(playScript(fault, script, example, when));
        });
        fc.assert(twice, { numRuns: 50, seed: 1 });
        for (const how of perConversation) expect(converse(fault, example, how).ends.log).toEqual(converse(fault, example, how).ends.log);
      },
    },
    {
      promise: 'never throws, edits nothing in place, and reaches no other session, whatever arrives',
      check: () =>
        fc.assert(
          fc.property(hostileScripts, phase, (script, when) => void playScript(fault, script, example, when)),
          { numRuns: 200, seed: 2 },
        ),
    },
    { promise: 'sees only what its rule fired on, and leaves everything else byte-identical', check: () => keepsToItsRule(fault, example) },
    ...(claimsValid ? inEach('sends valid MCP', (rig, era) => expect(problemsIn(rig, era)).toEqual([])) : []),
    ...inEach('sends nothing that would tell an agent that it is tested', (rig) => {
      for (const { message, http } of rig.ends.log) expect(JSON.stringify({ message, http })).not.toMatch(TELL_TALE);
    }),
    ...(fault.role === 'data'
      ? perConversation.map((how) => ({
          promise: `says what it changed in a result (${how.era}, ${how.phase})`,
          check: () => saysWhatItChanged(fault, example, how),
        }))
      : []),
    { promise: 'remembers a bounded amount, however many calls and sessions there are', check: () => remembersLittle(fault, example) },
  ];
}

function converse(fault: Fault, params: Params, { era, phase }: { era: Era; phase: Phase }): TestRig {
  const rig = createTestRig(fault, { params, era, phase });
  haveOrdinaryConversation(rig, era);
  return rig;
}

function describesItself(fault: Fault): void {
  expect(fault.type).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(fault.summary).toMatch(SENTENCE);
  expect([fault.carriers.length, fault.phases.length, fault.eras.length], 'it can act somewhere').not.toContain(0);
  expect(fault.methods.length > 0, 'a fault on calls names its methods, a fault on connections has none').toBe(fault.trigger === 'call');
  for (const why of Object.values(fault.cannot)) expect(why).toMatch(SENTENCE);
  if (fault.lasts !== undefined) expect(fault.memoryScope, 'what lasts is remembered by session').toBe('session');
}

function describesParameters(fault: Fault, example: Params): void {
  for (const [name, { about }] of Object.entries(fault.params)) expect(about, name).toMatch(SENTENCE);
  for (const params of [paramsOf(fault), example]) {
    const { problems } = checkPlan({ version: 1, rules: [{ id: 'rule', fault: fault.type, params }] }, createCatalogue([fault]));
    expect(problems).toEqual([]);
  }
}

function keepsToItsRule(fault: Fault, params: Params): void {
  const seen: TrafficEvent[] = [];
  const spy: Fault = {
    ...fault,
    decide(event, values, context) {
      seen.push(event);
      return fault.decide(event, values, context);
    },
  };
  const rig = createTestRig(spy, { params, when: { tool: ['create_refund'] }, era: fault.eras[0] ?? 'legacy' });
  // Spaces that no edit would keep: what is not touched is not written anew either.
  const spaced = (id: number): Uint8Array => new TextEncoder().encode(JSON.stringify(exampleAnswer(exampleResult(), { id }), null, 1));
  for (const id of [1, 2]) {
    rig.request(exampleCall({ id }));
    rig.answer(spaced(id));
  }
  expect(seen).toEqual([]);
  expect(rig.ends.log.filter(({ to }) => to === 'to-client').map(({ bytes }) => bytes)).toEqual([spaced(1), spaced(2)]);
}

function saysWhatItChanged(fault: Fault, params: Params, how: { era: Era; phase: Phase }): void {
  const unsaid: string[] = [];
  const spy: Fault = {
    ...fault,
    decide(event, values, context) {
      let changes = 0;
      const effects = fault.decide(event, values, {
        ...context,
        changed(path, clean, dirty) {
          changes++;
          context.changed(path, clean, dirty);
        },
      });
      const [first] = effects;
      if (event.kind !== 'frame' || event.part !== 'answer' || first?.kind !== 'forward') return effects;
      const [clean, dirty] = [event.frame, first.frame].map((frame) => JSON.stringify(frameMessage(frame)));
      if (clean !== dirty && changes === 0) unsaid.push(`the answer to ${String(event.exchange.id)}`);
      return effects;
    },
  };
  converse(spy, params, how);
  expect(unsaid, 'context.changed was told').toEqual([]);
}

function problemsIn(rig: TestRig, era: Era): readonly string[] {
  return messagesOf(rig).flatMap(({ message, method, id }) => {
    const answered = message as { id?: unknown; method?: unknown };
    const isMisdirected = answered.method === undefined && answered.id !== id;
    return [...messageProblems(message, { era, method }), ...(isMisdirected ? ['its id is not the one that the caller waits for'] : [])];
  });
}

function remembersLittle(fault: Fault, params: Params): void {
  const memory = fault.memory?.();
  const early = weightAfter(fault, params, memory, 300);
  const late = weightAfter(fault, params, memory, 3000);
  expect(late, 'it does not grow with the traffic').toBeLessThanOrEqual(Math.max(4 * early, 4096));
  expect(late).toBeLessThanOrEqual(MAX_MEMORY_BYTES);
}

/** The weight of a memory after calls from ever new sessions, a third of them never answered, results of all sizes. */
function weightAfter(fault: Fault, params: Params, memory: unknown, calls: number): number {
  // A fault's own specs say what it takes; an example has values of that kind.
  const values = paramsOf(fault, params) as Readonly<Record<string, never>>;
  for (let call = 0; call < calls; call++) {
    const session = startSession({ label: `session-${call >> 2}`, era: fault.eras[0] });
    const exchange = exchangeFor(toServer(exampleCall({ id: call, tool: `tool_${call}` })), session);
    askFault(fault, arrived(exchange.request, exchange), { params, context: testContext(fault, { memory }) });
    if (call % 3 === 0) continue;
    const padding = 'x'.repeat(call % 50 === 0 ? 200_000 : call % 100);
    const answer = arrived(toClient(exampleAnswer(exampleResult({ ...EXAMPLE_DATA, call, padding }), { id: call })), exchange);
    fault.observe?.(answer, values, testContext(fault, { memory }));
    askFault(fault, answer, { params, context: testContext(fault, { memory }) });
  }
  return memoryWeight(memory);
}
