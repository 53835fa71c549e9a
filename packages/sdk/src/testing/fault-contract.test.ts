// The suite is only worth its promises if a fault that breaks one is caught: one mutant per clause.
import { describe, expect, test } from 'vitest';
import { answer, forward } from '../core/effect.js';
import { defineFault, type Fault, type FaultDefinition } from '../core/fault.js';
import { editFrame, frameObject } from '../core/frame.js';
import { rpcError } from '../core/message.js';
import { ms, type ParamSpecs } from '../core/params.js';
import type { Exchange } from '../core/session.js';
import { contractClauses } from './contract-clauses.js';

function faultWith<Memory>(changes: Partial<FaultDefinition<ParamSpecs, Memory>>): Fault {
  return defineFault<ParamSpecs, Memory>({
    type: 'example',
    summary: 'Does something.',
    carriers: ['mcp'],
    role: 'terminal',
    params: {},
    decide: (event) => (event.kind === 'frame' ? [forward(event.frame)] : []),
    ...changes,
  });
}

function brokenBy(fault: Fault, example = {}): readonly string[] {
  return contractClauses(fault, { example }).flatMap(({ promise, check }) => {
    try {
      check();
      return [];
    } catch {
      return [promise.replace(/ \(.*\)$/, '')];
    }
  });
}

const say =
  (message: string): FaultDefinition<ParamSpecs, unknown>['decide'] =>
  (event) =>
    event.kind === 'frame' && event.part === 'request' ? [answer(rpcError(event.exchange.id ?? null, -32000, message))] : [];

let calls = 0;

test('a fault that keeps every promise breaks none', () => {
  expect(brokenBy(faultWith({}))).toEqual([]);
});

describe('a fault is caught that', () => {
  test.each<[string, Fault, string]>([
    ['does not describe itself', faultWith({ summary: 'no sentence' }), 'describes itself'],
    [
      'has a default out of range',
      faultWith({ params: { waitMs: ms({ default: 5, min: 10, about: 'A time.' }) } }),
      'describes every parameter',
    ],
    ['does not describe a parameter', faultWith({ params: { waitMs: ms({ default: 5, about: '' }) } }), 'describes every parameter'],
    ['never acts', faultWith({ decide: () => [] }), 'acts in an ordinary conversation'],
    [
      'rolls its own dice',
      faultWith({ decide: (event) => (event.kind === 'frame' ? [forward(event.frame, calls++)] : []) }),
      'does the same',
    ],
    [
      'trusts the shape of a message',
      faultWith({
        decide(event) {
          if (event.kind !== 'frame' || event.part === 'request') return [];
          const { result } = frameObject(event.frame) as { result: unknown };
          return [forward(editFrame(event.frame, { result }))];
        },
      }),
      'never throws',
    ],
    [
      'edits a message in place',
      faultWith({
        decide(event) {
          if (event.kind !== 'frame') return [];
          const message = frameObject(event.frame);
          if (message !== undefined) message['extra'] = true;
          return [forward(event.frame)];
        },
      }),
      'never throws',
    ],
    [
      'writes what is nested too deeply',
      faultWith({ decide: (event) => (event.kind === 'frame' ? [forward(editFrame(event.frame, { ...frameObject(event.frame) }))] : []) }),
      'never throws',
    ],
    [
      'reaches into another session',
      faultWith({
        memory: (): { last?: Exchange } => ({}),
        decide(event, _params, { memory }) {
          if (event.kind !== 'frame') return [];
          const { last = event.exchange } = memory;
          memory.last = event.exchange;
          return [forward(event.frame, 0, last)];
        },
      }),
      'never throws',
    ],
    [
      'answers under a wrong id',
      faultWith({
        decide: (event) => (event.kind === 'frame' && event.part === 'request' ? [answer(rpcError('other', -32000, 'Busy'))] : []),
      }),
      'sends valid MCP',
    ],
    [
      'takes a code of the specification',
      faultWith({
        decide: (event) =>
          event.kind === 'frame' && event.part === 'request' ? [answer(rpcError(event.exchange.id ?? null, -32021, 'Busy'))] : [],
      }),
      'sends valid MCP',
    ],
    ['gives itself away', faultWith({ decide: say('Injected error') }), 'sends nothing that would tell'],
    [
      'changes a result and does not say so',
      faultWith({
        role: 'data',
        phases: ['post'],
        decide: (event) => {
          if (event.kind !== 'frame' || event.part !== 'answer') return [];
          const message = frameObject(event.frame);
          return message === undefined
            ? []
            : [forward(editFrame(event.frame, { jsonrpc: '2.0', id: message['id'], result: { content: [] } }))];
        },
      }),
      'says what it changed',
    ],
    [
      'remembers everything',
      faultWith({
        memory: (): unknown[] => [],
        decide(event, _params, { memory }) {
          memory.push(event);
          return event.kind === 'frame' ? [forward(event.frame)] : [];
        },
      }),
      'remembers a bounded amount',
    ],
  ])('%s', (_what, fault, promise) => {
    expect(brokenBy(fault).some((broken) => broken.startsWith(promise))).toBe(true);
  });
});
