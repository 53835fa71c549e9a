import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defineFault } from './fault.js';
import { frameFromMessage } from './frame.js';
import { compileConnect, compileGlobs, compileWhen, methodsOf } from './match.js';
import type { Direction } from './message.js';
import type { Rule, When } from './plan.js';
import { startSession } from './session.js';

const fault = defineFault({ type: 'nothing', summary: 'Does nothing.', carriers: ['mcp'], role: 'extra', params: {}, decide: () => [] });

const rule = (when: When, methods = fault.methods): Rule => ({
  id: 'rule',
  fault: { ...fault, methods },
  params: {},
  when,
  at: {},
  probability: 1,
  shape: { kind: 'iid' },
  phase: 'pre',
  isEnabled: true,
});

describe('globs', () => {
  test.each([
    ['search', 'search', true],
    ['search', 'search_web', false],
    ['search_*', 'search_', true],
    ['search_*', 'search_web', true],
    ['*_web', 'search_web', true],
    ['s*h_*b', 'search_web', true],
    ['s?arch', 'search', true],
    ['s?arch', 'sarch', false],
    ['*', '', true],
    ['?', '', false],
    ['**', 'anything', true],
    ['a**b', 'ab', true],
    ['a.c', 'abc', false],
    ['a.*', 'a.b', true],
    ['[a]*', 'a', false],
    ['^a$*', '^a$', true],
    ['*\n*', 'two\nlines', true],
    ['a*ab', 'aab', true],
    ['*aab', 'aaaab', true],
  ])('%j matches %j: %s', (glob, name, expected) => {
    expect(compileGlobs([glob])(name)).toBe(expected);
  });

  test('agree with a regular expression on any short pattern and name', () => {
    const letters = (alphabet: string[]): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 8 });
    fc.assert(
      fc.property(letters(['a', 'b', '*', '?']), letters(['a', 'b']), (glob, name) => {
        const expected = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(name);
        expect(compileGlobs([glob])(name)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  test('of a list match when any does; no list matches everything, an empty one nothing', () => {
    const matches = compileGlobs(['exact', 'pre*']);
    expect(['exact', 'prefix', 'other'].map(matches)).toEqual([true, true, false]);
    expect(compileGlobs(undefined)('x')).toBe(true);
    expect(compileGlobs([])('x')).toBe(false);
  });

  test('do not backtrack through every star of a hostile pattern', () => {
    expect(compileGlobs([`${'a*'.repeat(60)}b`])('a'.repeat(10_000))).toBe(false);
    expect(compileGlobs([`${'*a?'.repeat(60)}b`])('a'.repeat(10_000))).toBe(false);
  });
});

describe('methods', () => {
  const selects = (given: Rule, method: string): boolean => {
    const { names, globs } = methodsOf(given);
    return names.includes(method) || globs?.(method) === true;
  };

  test("are the rule's own, else those of its fault", () => {
    expect(methodsOf(rule({}))).toEqual({ names: ['tools/call'], globs: undefined });
    expect(methodsOf(rule({ method: ['ping'] })).names).toEqual(['ping']);
  });

  test('that open a conversation are exempt from wildcards and not from their names', () => {
    for (const method of ['initialize', 'server/discover']) {
      expect(selects(rule({ method: ['*'] }), method)).toBe(false);
      expect(selects(rule({ method: ['*', method] }), method)).toBe(true);
    }
    expect(selects(rule({ method: ['*'] }), 'tools/list')).toBe(true);
    expect(selects(rule({}, ['*']), 'initialize')).toBe(false);
  });
});

describe('when', () => {
  const matches = (
    when: When,
    call: {
      args?: unknown;
      tool?: string;
      method?: string;
      direction?: Direction;
      label?: string;
      target?: string;
      era?: 'legacy' | 'modern';
    } = {},
  ): boolean => {
    const { tool, method = 'tools/call', direction = 'to-server', label = 'default' } = call;
    const frame = frameFromMessage(direction, { id: 1, method, params: { name: tool, arguments: call.args } });
    return compileWhen(rule(when))(startSession({ label, target: call.target, era: call.era }), frame, method, tool);
  };

  test('tool is asked of tool calls only: a list concerns every tool', () => {
    expect(matches({ tool: ['search'] }, { tool: 'search' })).toBe(true);
    expect(matches({ tool: ['search'] }, { tool: 'fetch' })).toBe(false);
    expect(matches({ tool: ['*'] }, {})).toBe(false);
    expect(matches({ tool: ['search'] }, { method: 'tools/list' })).toBe(true);
  });

  test('direction is to the server unless said otherwise', () => {
    expect(matches({}, { direction: 'to-client' })).toBe(false);
    expect(matches({ direction: 'to-client' }, { direction: 'to-client' })).toBe(true);
  });

  test('session, target and era are what the session says', () => {
    expect(matches({ session: ['agent#*'] }, { label: 'agent#2' })).toBe(true);
    expect(matches({ session: ['agent#1'] }, { label: 'agent#2' })).toBe(false);
    expect(matches({ target: ['*'] }, {})).toBe(false);
    expect(matches({ target: ['pay*'] }, { target: 'payments' })).toBe(true);
    expect(matches({ era: 'modern' }, { era: 'legacy' })).toBe(false);
    expect(matches({ era: 'modern' }, { era: 'modern' })).toBe(true);
    expect(matches({ era: 'modern' }, {})).toBe(false);
  });

  test('a connection is held against session, target and a known era', () => {
    const connects = (when: When, session = startSession()): boolean => compileConnect(rule(when))(session);
    expect(connects({})).toBe(true);
    expect(connects({ session: ['other'] })).toBe(false);
    expect(connects({ target: ['*'] })).toBe(false);
    expect(connects({ target: ['pay*'] }, startSession({ target: 'payments' }))).toBe(true);
    expect(connects({ era: 'modern' })).toBe(true);
    expect(connects({ era: 'modern' }, startSession({ era: 'legacy' }))).toBe(false);
  });

  test.each<[Record<string, unknown>, unknown, boolean]>([
    [{}, {}, true],
    [{}, undefined, false],
    [{ q: 'x' }, { q: 'x', page: 2 }, true],
    [{ q: 'x' }, { q: 'y' }, false],
    [{ q: null }, {}, false],
    [{ q: null }, { q: null }, true],
    [{ filter: { from: 1 } }, { filter: { from: 1, to: 2 } }, true],
    [{ filter: {} }, { filter: [] }, false],
    [{ ids: [1, 2] }, { ids: [1, 2] }, true],
    [{ ids: [1] }, { ids: [1, 2] }, false],
    [{ ids: [{ a: 1 }] }, { ids: [{ a: 1, b: 2 }] }, true],
    [{ toString: 'x' }, {}, false],
    [{ n: 1 }, { n: '1' }, false],
  ])('args %j in %j: %s', (expected, args, isMatch) => {
    expect(matches({ args: expected }, { tool: 'search', args })).toBe(isMatch);
  });
});
