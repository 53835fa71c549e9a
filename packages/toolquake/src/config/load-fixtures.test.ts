import { expect, test } from 'vitest';
import { fixturesText, withExpectations, withFixtures } from './fixture-text.js';
import { pathOf } from './import-seed-fixtures.js';
import { readFixtures } from './load-fixtures.js';

const one = (expectation: string): string => `fixtures:\n  - tool: t\n    expect: ${expectation}\n`;

test.each([
  [one('{ dta: 1 }'), /f\.yaml:3:15: .*"dta".*/],
  [one('{ matches: { a: "(x" } }'), /f\.yaml:3:29: The pattern at "a" is refused: a "\(" is not closed/],
  [one('{ matches: { a: "(?=x)" } }'), /looks around/],
  [one('{ data: { a: 1 }, schema: { type: nonsense } }'), /no JSON Schema/],
  [one('{ data: { a: 1 }, schema: { $ref: "https://evil.example/s" } }'), /no JSON Schema that can be checked/],
  [one('{ near: { a: { value: 1 } } }'), /has no tolerance/],
  [one('{ range: { a: { min: 2, max: 1 } } }'), /ends before it starts/],
  [one('{ least: { "a..b": 1 } }'), /no path into data/],
  [one('{ types: { a: string } }'), /must be .*text/],
  [one('{ data: {} }'), /no stable assertion/],
  [one('{ outputSchema: true, without: [email] }'), /no stable assertion/],
  ['fixtures:\n  - { tool: t, prompt: p, expect: { data: 1 } }\n', /one of "tool", "prompt" and "resource"/],
  ['fixtures:\n  - { resource: "a://b", arguments: { x: 1 }, expect: { data: 1 } }\n', /takes no arguments/],
  ['fixtures: []\n', /has no fixtures/],
  [`${one('{ data: 1 }')}  - { tool: t, expect: { data: 2 } }\n`, /Two fixtures are called "t"/],
  ['[{"tool":"t","input":{},"expectations":{"total":{"mim":1}}}]', /f\.yaml:1:\d+: .*mim/],
])('%j is refused with its place', (text, message) => {
  let said = '';
  try {
    readFixtures(text, 'f.yaml');
  } catch (error) {
    said = error instanceof Error ? `${error.message} ${'advice' in error ? String(error.advice) : ''}` : '';
  }
  expect(said).toMatch(message);
});

test('reads every kind of fixture', () => {
  const text =
    'fixtures:\n  - { prompt: p, expect: { contains: x } }\n  - { tool: t, expect: { times: { at: { past: 5m } } , latency: 1s } }\n';
  expect(readFixtures(text, 'f.yaml')).toMatchObject([
    { name: 'p', asks: 'prompt', expect: { contains: ['x'] } },
    { name: 't', asks: 'tool', mayWrite: false, expect: { times: { at: { pastMs: 300_000, futureMs: 0 } }, latencyMs: 1000 } },
  ]);
});

test('the older format means the same in our words', () => {
  const [fixture] = readFixtures(
    `[{ tool: 'search_documents', input: { query: 'x' }, expectations: {
      type: 'object', total_results: { min: 1 }, results: { type: 'array', minLength: 1 }, results_0_title: { includes: 'health' } } }]`,
    'f.yaml',
  );
  expect(fixture).toMatchObject({
    tool: 'search_documents',
    arguments: { query: 'x' },
    expect: {
      types: { $: 'object', results: 'list' },
      range: { total_results: { min: 1 } },
      length: { results: { min: 1 } },
      includes: { 'results[0].title': 'health' },
    },
  });
  expect([pathOf('a_b'), pathOf('rows_1'), pathOf('rows_1_cells_20_v_w')]).toEqual(['a_b', 'rows[1]', 'rows[1].cells[20].v_w']);
});

test('what is written is read again, with comments and strange names', () => {
  const strange = JSON.parse('{"__proto__":{"a":1},"on":"yes","1":null,"a: b":"# no comment"}') as object;
  const text = fixturesText([{ tool: 't', expect: { exact: strange } }]);
  expect(JSON.stringify(readFixtures(text, 'f.yaml')[0]!.expect)).toBe(JSON.stringify({ exact: strange }));
  const more = withFixtures(`# mine\n${text}`, [{ tool: 'u', expect: { data: 1 } }]);
  const changed = withExpectations(more, new Map([[1, { data: 2 }]]), { server: 's', runs: 3 });
  expect(changed).toContain('# mine');
  expect(readFixtures(changed, 'f.yaml')).toMatchObject([{ tool: 't' }, { tool: 'u', expect: { data: 2 }, recordedFrom: 's' }]);
});
