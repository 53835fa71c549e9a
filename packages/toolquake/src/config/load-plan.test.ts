import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCatalogue, count, defineFault, ms, ToolquakeError } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadPlan, readPlanText } from './load-plan.js';

const latency = defineFault({
  type: 'latency',
  summary: 'Slow.',
  carriers: ['mcp'],
  role: 'shaping',
  params: { addedMs: ms({ default: 250, about: 'Time.' }), times: count({ default: 1, unit: 'times', about: 'Times.' }) },
  decide: () => [],
});
const catalogue = createCatalogue([latency]);

/** Problems as `line:column code message`. */
const problemsOf = (source: string): readonly string[] =>
  readPlanText(source, { catalogue }).problems.map(
    ({ line, column, code, message, advice }) => `${line}:${column} ${code} ${message}${advice === undefined ? '' : ` | ${advice}`}`,
  );

describe('the text of a plan', () => {
  test('is YAML or JSON, with tabs in JSON, a byte order mark or Windows line ends', () => {
    const json = JSON.stringify({ version: 1, seed: 3, rules: [{ id: 'a', fault: 'latency' }] }, null, '\t');
    const yaml = 'version: 1\r\nseed: 3\r\nrules:\r\n  - id: a\r\n    fault: latency\r\n';
    for (const source of [json, yaml, `\ufeff${yaml}`, `# comment\n---\n${yaml}`]) {
      const { plan, problems } = readPlanText(source, { catalogue });
      expect(problems).toEqual([]);
      expect(plan).toMatchObject({ seed: 3, rules: [{ id: 'a', params: { addedMs: 250, times: 1 } }] });
    }
  });

  test('is refused with line, column and the nearest word, everything at once', () => {
    const source = [
      'version: 1',
      'sede: 42',
      'rules:',
      '  - id: slow',
      '    fault: latencyy',
      '    probability: 2',
      '  - id: slow',
      '    fault: latency',
      '    params: { addedMs: -1, time: 2 }',
      '    when: { tool: [a, 5] }',
      '    at:',
      '      first: one',
    ].join('\n');
    expect(problemsOf(source)).toEqual([
      '2:1 UNKNOWN_KEY the plan has the unknown key "sede". | Did you mean "seed"?',
      '5:12 UNKNOWN_FAULT Rule "slow" uses the unknown fault "latencyy". | Did you mean "latency"? Run "toolquake faults" to list all of them.',
      '6:18 OUT_OF_RANGE rules[0].probability must be a number from 0 to 1, not 2. | The nearest allowed value is 1.',
      '7:9 DUPLICATE_ID rules[0] and rules[1] have the same id "slow". | For example: id: slow-2',
      '9:24 OUT_OF_RANGE rules[1].params.addedMs must be a number from 0 to 86400000 ms, not -1. | The nearest allowed value is 0.',
      '9:28 UNKNOWN_KEY rules[1].params has the unknown key "time". | Did you mean "times"?',
      '10:23 WRONG_TYPE rules[1].when.tool[1] must be a name, not 5. | Put it in quotes: "5".',
      '12:14 WRONG_TYPE rules[1].at.first must be a whole number of at least 0, not "one".',
    ]);
  });

  test.each([
    ['nothing', '', '1:1 EMPTY_INPUT There is nothing in it. | The smallest plan is "rules: []".'],
    ['only comments', '# hello\n', '1:1 EMPTY_INPUT There is nothing in it. | The smallest plan is "rules: []".'],
    ['tabs as indentation', 'rules:\n\t- fault: latency\n', '2:1 BAD_SYNTAX Tabs are not allowed as indentation. | Indent with spaces.'],
    ['duplicate keys', 'rules: []\nseed: 1\nseed: 2\n', '3:1 BAD_SYNTAX Map keys must be unique. | Remove or rename one of the two.'],
    [
      'duplicate keys in JSON',
      '{"rules": [],\n "rules": []}',
      '2:2 BAD_SYNTAX Map keys must be unique. | Remove or rename one of the two.',
    ],
    [
      'two documents',
      'rules: []\n---\nrules: []\n',
      '2:1 BAD_SYNTAX A plan is one YAML document, and here begins a second one. | Remove the "---".',
    ],
    [
      'JSON that ends early',
      '{"rules": [',
      '1:12 BAD_SYNTAX Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
    ['a foreign tag', 'rules: !!python/object [1]\n', '1:8 BAD_SYNTAX Unresolved tag: tag:yaml.org,2002:python/object.'],
    ['an alias of nothing', 'rules: *there\n', '1:1 BAD_SYNTAX Unresolved alias (the anchor must be set before the alias): there.'],
    [
      'NaN',
      'rules:\n  - { fault: latency, probability: .nan }\n',
      '2:36 OUT_OF_RANGE rules[0].probability must be a number from 0 to 1, not NaN.',
    ],
    [
      'bare text',
      'hello',
      '1:1 WRONG_TYPE the plan must be a mapping, not "hello". | Its keys: version, seed, rules, limits, task, expect.',
    ],
  ])('is refused: %s', (_, source, problem) => {
    expect(problemsOf(source)[0]).toBe(problem);
  });

  test('cannot blow up by aliases', () => {
    const levels = Array.from({ length: 12 }, (_, level) => `l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`);
    expect(problemsOf(['l0: &l0 [x]', ...levels, 'rules: []'].join('\n'))).toEqual([
      '1:1 TOO_LARGE Its aliases multiply to more than 100 copies. | Write the repeated parts out.',
    ]);
  });

  test.each([
    ['flow lists', '['.repeat(100_000)],
    ['flow maps', '{a: '.repeat(100_000)],
    ['block lists', '- '.repeat(100_000)],
    ['indentation', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('cannot blow up by nesting: %s', (_, source) => {
    expect(problemsOf(source)[0]).toMatch(/^\d+:\d+ TOO_LARGE The text is nested more than 100 levels deep\.$/);
  });

  test('may use anchors a little, and cannot use one inside itself', () => {
    const shared = 'rules:\n  - { fault: latency, when: &x { tool: a } }\n  - { fault: latency, when: *x }\n';
    expect(readPlanText(shared, { catalogue }).plan?.rules[1]?.when).toEqual({ tool: ['a'] });
    expect(problemsOf('rules:\n  - { fault: latency, when: { args: &x { again: *x } } }\n')[0]).toContain('TOO_LARGE');
    expect(problemsOf('rules:\n  - { fault: latency, when: &x { tolo: a } }\n  - { fault: latency, when: *x }\n')).toHaveLength(2);
  });

  test('never makes the reader throw, whatever it is', () => {
    const pieces = fc.constantFrom(
      'rules:',
      'faults:',
      'config:',
      '- ',
      '  ',
      '\n',
      '{',
      '}',
      '[',
      ']',
      ':',
      ' ',
      '*a',
      '&a ',
      '"',
      "'",
      '!!x ',
      '|',
      '>',
      '?',
      '---\n',
      'fault: latency',
      'type: latency',
      '\t',
      '__proto__:',
      '1',
      '%',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
          fc.json(),
        ),
        (source) => {
          const { plan, problems } = readPlanText(source, { catalogue });
          expect(plan === undefined).toBe(problems.length > 0);
          for (const { line, column } of problems) expect([line >= 1, column >= 1]).toEqual([true, true]);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a plan file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plan-'));
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const refusal = async (path: string): Promise<ToolquakeError> => {
    const error: unknown = await loadPlan(path, { catalogue }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolquakeError);
    return error as ToolquakeError;
  };

  test('becomes a plan', async () => {
    expect((await loadPlan(write('good.yaml', 'rules: [{ fault: latency }]'), { catalogue, transport: 'stdio' })).rules).toHaveLength(1);
  });

  test('that does not exist brings the one that does', async () => {
    write('plan.yaml', 'rules: []');
    expect(await refusal(join(folder, 'plam.yaml'))).toMatchObject({
      code: 'UNREADABLE',
      advice: `Did you mean "${join(folder, 'plan.yaml')}"?`,
    });
  });

  test('that is a folder, too large or no text is refused', async () => {
    expect(await refusal(folder)).toMatchObject({ code: 'UNREADABLE', message: `${folder} cannot be read: it is a folder.` });
    expect(await refusal(write('huge.yaml', '#'.repeat(1024 * 1024 + 1)))).toMatchObject({ code: 'TOO_LARGE' });
    expect(await refusal('/dev/zero')).toMatchObject({ code: 'TOO_LARGE' });
    expect(await refusal(write('binary', Uint8Array.of(0xff, 0xfe, 0x00)))).toMatchObject({ code: 'BAD_SYNTAX' });
  });

  test('with one problem names the place, with several lists them', async () => {
    const one = write('one.yaml', 'rules: []\nsede: 1\n');
    expect(await refusal(one)).toMatchObject({
      code: 'UNKNOWN_KEY',
      message: `${one}:2:1: the plan has the unknown key "sede".`,
      advice: 'Did you mean "seed"?',
    });
    const many = write('many.yaml', `rules:\n${'  - { fault: nothing }\n'.repeat(30)}`);
    const { message } = await refusal(many);
    expect(message.split('\n')).toHaveLength(22);
    expect(message).toContain(`${many}:2:14: Rule "nothing-1" uses the unknown fault "nothing".`);
    expect(message).toContain('... and 10 more.');
  });
});

test.each([
  ['tool-error', 'resources/read'],
  ['drop-tool', 'prompts/list'],
  ['registry-inconsistency', 'resources/list'],
  ['empty-result', 'tools/list'],
  ['partial-result', 'tools/list'],
  ['schema-drift', 'tools/list'],
  ['stale-result', 'tools/list'],
  ['lost-ack', 'notifications/*'],
])('%s on %s is refused before anything starts', (fault, method) => {
  const source = `rules:\n  - fault: ${fault}\n    when: { method: ${method} }\n`;
  expect(readPlanText(source, { catalogue: createCatalogue(faults) }).problems).toMatchObject([
    { code: 'NEVER_MATCHES', line: 3, column: 21 },
  ]);
});

test('a partial result that keeps everything is refused', () => {
  const source = 'rules:\n  - { id: r, fault: partial-result, params: { keepRatio: 1 } }\n';
  expect(readPlanText(source, { catalogue: createCatalogue(faults) }).problems).toMatchObject([
    { line: 2, message: 'Rule "r" can never match: its keepRatio is 1, which leaves nothing out.' },
  ]);
});

test('a bound on a measure that does not exist is shown at its name', () => {
  expect(problemsOf('rules: []\nexpect:\n  measures:\n    tcrs: { min: 0.9 }\n')).toEqual([
    '4:5 UNKNOWN_KEY expect.measures names the unknown measure "tcrs". | Did you mean "tcsr"?',
  ]);
});
