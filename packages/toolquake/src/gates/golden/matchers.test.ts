import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '@toolquake/sdk/core';
import type { Expectation } from '../../core/expectation.js';
import type { CanaryMeasurement } from '../../probes/canary-call.js';
import { judgeAnswer } from '../judge-answer.js';
import { judgeCanary } from '../judge-canary.js';
import { EXPECTATION_FIELDS, MATCHERS } from './catalogue.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const ok = (result: JsonObject) => ({ kind: 'result', result }) as const;
const holding = (structuredContent: unknown) => ok({ content: [{ type: 'text', text: 'words' }], structuredContent });

function measured(
  expectation: Expectation,
  outcome: CanaryMeasurement['outcome'],
  more: Partial<CanaryMeasurement> = {},
): CanaryMeasurement {
  return {
    canary: { name: 'c', tool: 't', arguments: {}, expect: expectation, mayWrite: false },
    outcome,
    durationMs: 5,
    notifications: 0,
    ...more,
  };
}
const says = (expectation: Expectation, outcome: CanaryMeasurement['outcome'], more: Partial<CanaryMeasurement> = {}, tool?: JsonObject) =>
  judgeAnswer(measured(expectation, outcome, more), tool, NOW).map((verdict) => verdict.says);

const data = {
  total: 2,
  items: [
    { id: 1, at: '2026-01-02T03:04:00Z' },
    { id: 2, at: '2026-01-02T03:03:00Z' },
  ],
  title: 'Health check',
};

/** One good and one bad expectation of each word, over the same data. */
const CASES: { readonly [Word in keyof Required<Expectation>]?: readonly [good: Expectation, bad: Expectation, said: RegExp] } = {
  exact: [{ exact: data }, { exact: { ...data, more: 1, total: 3 } }, /total is 2, 3 expected/],
  data: [{ data: { total: 2 } }, { data: { items: [] } }, /items has 2 items, 0 expected/],
  ignore: [{ exact: { ...data, title: 'x' }, ignore: ['title'] }, { exact: { ...data, title: 'x' }, ignore: ['total'] }, /title is/],
  types: [{ types: { total: 'integer', items: 'list', $: 'object' } }, { types: { total: 'text' } }, /total is number, text expected/],
  matches: [{ matches: { title: '^Health' } }, { matches: { title: '^health' } }, /does not match/],
  includes: [{ includes: { title: 'health' } }, { includes: { title: 'wealth' } }, /does not include/],
  near: [{ near: { total: { value: 2.1, rel: 0.1 } } }, { near: { total: { value: 2.1, abs: 0.05 } } }, /at most 0.05 off/],
  unordered: [{ unordered: { 'items[*].id': [] }, ignore: [] }, { unordered: { items: [{ id: 2 }] } }, /lacks|no list/],
  length: [{ length: { items: { min: 2, max: 2 }, title: { max: 12 } } }, { length: { items: { min: 3 } } }, /2 items, at least 3/],
  range: [{ range: { 'items[*].id': { min: 1, max: 2 } } }, { range: { 'items[*].id': { max: 1 } } }, /items\[1\]\.id is 2, at most 1/],
  least: [{ least: { total: 1, items: 2 } }, { least: { items: 3 } }, /items is 2, at least 3 expected/],
  times: [
    { times: { 'items[*].at': { pastMs: 70_000, futureMs: 0 } } },
    { times: { 'items[1].at': { pastMs: 60_000, futureMs: 0 } } },
    /65 s ago, at most 60 s/,
  ],
  newest: [{ newest: { path: 'items[0].at', withinMs: 6000 } }, { newest: { path: 'items[1].at', withinMs: 6000 } }, /65 s old/],
  order: [
    { order: { items: { by: 'id' } } },
    { order: { items: { by: 'id', direction: 'descending' } } },
    /items\[1\] \(2\) does not follow 1/,
  ],
  schema: [
    { schema: { type: 'object', required: ['total'] } },
    { schema: { properties: { title: { pattern: '^x' } } } },
    /violates the schema at \/title/,
  ],
  contains: [{ contains: ['words', 'Health'] }, { contains: ['nope'] }, /does not contain "nope"/],
  notContains: [{ notContains: ['nope'] }, { notContains: ['Health'] }, /contains "Health"/],
  without: [
    { without: ['stack-trace', 'email', 'secret', 'card-number', 'phone-number'] },
    { without: ['email'], exact: { mail: 1 } },
    /./,
  ],
  kinds: [{ kinds: ['text'] }, { kinds: ['text', 'image'] }, /text, image expected/],
  budget: [{ budget: { bytes: 1000, tokens: 2 } }, { budget: { bytes: 10, tokens: 1 } }, /at most 10 expected/],
  latencyMs: [{ latencyMs: 5 }, { latencyMs: 4 }, /took 5 ms, at most 4 ms/],
};

test.each(Object.entries(CASES).filter(([word]) => word !== 'unordered' && word !== 'without'))(
  '%s tells good from bad',
  (_, [good, bad, said]) => {
    expect(says(good, holding(data))).toEqual([]);
    expect(says(bad, holding(data)).join('\n')).toMatch(said);
  },
);

test('every matcher has an example, a field and one spelling', () => {
  expect(Object.keys(EXPECTATION_FIELDS).length).toBe(MATCHERS.length);
  for (const { example, field } of MATCHERS) expect(`${example}${field.about}`).not.toBe('');
});

test('unordered counts: the same items as often, in any order', () => {
  const list = (...items: readonly unknown[]) => holding({ list: items });
  expect(says({ unordered: { list: [1, { a: 1, b: 2 }, 1] } }, list({ b: 2, a: 1 }, 1, 1))).toEqual([]);
  expect(says({ unordered: { list: [1, 1] } }, list(1))).toEqual(['list lacks 1']);
  expect(says({ unordered: { list: [1] } }, list(1, 2))).toEqual(['list holds 2 besides']);
});

test.each([
  ['stack-trace', 'TypeError: x\n    at run (/srv/app.js:10:3)'],
  ['stack-trace', 'Traceback (most recent call last):\n  File "a.py"'],
  ['email', 'write to jane.doe@example.com'],
  ['card-number', 'card 4111 1111 1111 1111.'],
  ['phone-number', 'call +49 170 1234 5678'],
  ['ip-address', 'from 10.0.0.12'],
  ['secret', '{"password":"hunter2hunter2"}'],
])('without %s finds it, and does not repeat it', (leak, text) => {
  const found = says({ without: [leak] }, ok({ content: [{ type: 'text', text }] }));
  expect(found).toEqual([`the answer holds what looks like this: ${leak}`]);
  expect(says({ without: [leak] }, ok({ content: [{ type: 'text', text: 'all is well, 3 shoes found' }] }))).toEqual([]);
});

test('outputSchema wants the promise and its keeping', () => {
  const tool = { name: 't', outputSchema: { type: 'object', properties: { total: { type: 'number', maximum: 2 } } } };
  expect(says({ outputSchema: true }, holding(data), {}, tool)).toEqual([]);
  expect(says({ outputSchema: true }, holding(data))).toEqual(['the tool has no outputSchema any more']);
  expect(says({}, holding({ total: 3 }), {}, tool)).toEqual(['the structured content violates the outputSchema of the tool']);
});

test('a hash holds for any order of members, and not for another picture', () => {
  const picture = (bytes: string) => ok({ content: [{ type: 'image', data: bytes }] });
  const [said] = says({ hash: `sha256:${'0'.repeat(64)}` }, picture('AAAA'));
  const hash = /sha256:[0-9a-f]{64}/.exec(said!)![0];
  expect(says({ hash }, picture('AAAA'))).toEqual([]);
  expect(says({ hash }, picture('AAAB'))).toHaveLength(1);
});

test('error turns the verdict round', () => {
  const failed = ok({ isError: true, content: [{ type: 'text', text: '{"code":7,"message":"gone"}' }] });
  expect(says({ error: { code: 7, contains: 'gone' } }, failed)).toEqual([]);
  expect(says({ error: {} }, holding(data))).toEqual(['the answer is no error, and one is expected']);
  const refused = { kind: 'error', error: { code: -32602, message: 'unknown order' } } as const;
  expect(says({ error: { code: -32602 } }, refused)).toEqual([]);
  expect(says({ error: { code: -32603, contains: 'x' } }, refused)).toHaveLength(2);
  expect(judgeCanary(measured({}, refused), undefined, NOW)).toMatchObject({ reason: 'invalid_params', rpcCode: -32602 });
});

test('idempotent compares the second call', () => {
  expect(says({ idempotent: true, ignore: ['title'] }, holding(data), { again: holding({ ...data, title: 'x' }) })).toEqual([]);
  expect(says({ idempotent: true }, holding(data), { again: holding({ ...data, total: 3 }) })).toEqual([
    'called again: total is 3, 2 expected',
  ]);
  expect(says({ idempotent: true }, holding(data), { again: ok({ isError: true, content: [] }) })).toEqual([
    'called again, the answer is an error',
  ]);
});

test('pages hold every item once, twice in the same order', () => {
  const paging = { pages: { items: 'list', cursor: 'next', argument: 'cursor', max: 5 } };
  const page = (...list: readonly number[]) => holding({ list });
  const walked = (one: readonly ReturnType<typeof page>[], other = one) => says(paging, one[0]!, { walks: [one, other] });
  expect(walked([page(1, 2), page(3)])).toEqual([]);
  expect(walked([page(1, 2), page(2)])).toEqual(['an item stands on the pages twice: 2']);
  expect(walked([page(1, 2), page(3)], [page(1, 3), page(2)])).toEqual(['walked again, the pages differ from item 2 on']);
});

test('latency alone is a warning in the vocabulary, and slow_call for a probe', () => {
  const slow = measured({ latencyMs: 1 }, holding(data));
  expect(judgeAnswer(slow, undefined, NOW)).toMatchObject([{ weight: 'soft' }]);
  expect(judgeCanary(slow, undefined, NOW)).toMatchObject({ reason: 'slow_call' });
});

test('whatever JSON an answer holds, it is exactly itself', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const clean: unknown = JSON.parse(JSON.stringify(value));
      expect(says({ exact: clean, data: clean }, holding(clean === undefined ? null : clean))).toEqual([]);
    }),
  );
});

test('hostile answers neither crash nor pollute', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  expect(says({ exact: {} }, ok({ content: [{ type: 'text', text: deep }] }))).toHaveLength(1);
  const polluting: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1}');
  expect(says({ exact: polluting, types: { ['__proto__.admin']: 'boolean' } }, holding(polluting))).toEqual([]);
  expect(says({ data: {}, least: { 'toString.length': 0 } }, holding({}))).toEqual(['toString.length is missing']);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});
