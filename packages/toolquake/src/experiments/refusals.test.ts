import type { JsonObject } from '@toolquake/sdk/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginsLikeProduction, namesProduction } from './production.js';
import { refusalsOf, type RefusableTarget } from './refusals.js';

const calm = { environment: 'staging', labels: {}, target: 'shop', manager: undefined, actions: [] };
const acting = (params: JsonObject) => ({ ...calm, actions: [{ id: 'cut', action: 'block-dependency', params, forMs: 1 }] });
const at = (url: string, labels: Record<string, string> = {}): RefusableTarget => ({ target: { name: 'shop', kind: 'url', url }, labels });
const rules = (...given: Parameters<typeof refusalsOf>): readonly string[] => refusalsOf(...given).map(({ rule }) => rule);
const home = at('http://127.0.0.1:3001/mcp');

test('a staging world is not refused', () => {
  expect(refusalsOf(calm, home, { NODE_ENV: 'test', ENVIRONMENT: 'staging' })).toEqual([]);
});

test('says which rule, on what, and what to do', () => {
  expect(refusalsOf({ ...calm, environment: 'production' }, home, {})).toEqual([
    {
      rule: 'experiment-environment',
      message: 'Experiments never run in production, and the experiment says environment: "production".',
      advice: 'Run it against staging, or a copy of your own.',
    },
  ]);
});

test.each([
  ['environment-variable', rules(calm, home, { NODE_ENV: ' Production ' })],
  ['environment-variable', rules(calm, home, { ENVIRONMENT: 'prod-eu' })],
  ['experiment-environment', rules({ ...calm, environment: 'PRD' }, home, {})],
  ['label', rules({ ...calm, labels: { production: 'true' } }, home, {})],
  ['label', rules({ ...calm, labels: { 'is-production': 'yes' } }, home, {})],
  ['label', rules(calm, at('http://a/', { env: 'prod' }), {})],
  ['label', rules(calm, at('http://a/', { 'k8s.io/Namespace': 'prodeu' }), {})],
  ['label', rules(calm, at('http://a/', { CLUSTER: 'Production-1' }), {})],
  ['target-name', rules({ ...calm, target: 'shop-prod' }, home, {})],
  ['target-name', rules(calm, { target: { name: 'ShopProd', kind: 'command', command: ['a'] }, labels: {} }, {})],
  ['target-address', rules(calm, at('https://mcp.prod.example/mcp'), {})],
  ['target-address', rules(calm, at('https://prod-1.example/mcp'), {})],
  ['target-address', rules(calm, at('https://shop.example/prd/mcp'), {})],
  ['target-address', rules(calm, at('https://xn--rod-zed.example/'), {})],
  ['target-command', rules(calm, { target: { name: 'a', kind: 'command', command: ['ssh', 'prod-db'] }, labels: {} }, {})],
  [
    'environment-variable',
    rules(calm, { target: { name: 'a', kind: 'command', command: ['a'], env: { NODE_ENV: 'production' } }, labels: {} }, {}),
  ],
  ['manager', rules({ ...calm, manager: { kind: 'pm2', name: 'shop_prod' } }, home, {})],
  ['manager', rules({ ...calm, manager: { kind: 'command', command: ['node', 'prod.js'] } }, home, {})],
  ['action', rules(acting({ host: 'db.prod.example', port: 5432 }), home, {})],
  ['action', rules(acting({ adminUrls: ['http://127.0.0.1:1', 'http://pr%6fd.example'] }), home, {})],
  ['action', rules(acting({ command: ['node', 'prod-server.js'] }), home, {})],
])('%s', (rule, found) => {
  expect(found).toEqual([rule]);
});

test('what an action asks for may speak of production, where it acts may not', () => {
  expect(rules(acting({ host: '127.0.0.1', arguments: { query: 'production' }, tool: 'list_production_orders' }), home, {})).toEqual([]);
});

test('a label that says on purpose that it is no production is believed', () => {
  expect(refusalsOf({ ...calm, labels: { production: 'false', env: 'dev' } }, home, {})).toEqual([]);
});

test.each([
  'product-search',
  'reproduce',
  'products',
  'producer',
  'produce',
  'productivity',
  'staging',
  'prodigy',
  'reproducer',
  'approd',
  'prdx-search',
  'http://product-search.example/products/1',
  'https://shop.example/product?id=1',
  'byproduct',
  'productName',
])('%s is no production', (text) => {
  expect(namesProduction(text)).toBe(false);
});

describe('no spelling gets through', () => {
  const percent = (letter: string): string => [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const wide = (letter: string): string => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0);
  const bold = (letter: string): string => String.fromCodePoint(letter.codePointAt(0)! - 97 + 0x1d41a);
  const cyrillic = new Map(Array.from('pocridutn').map((letter, index) => [letter, Array.from('росгіԁυтո')[index]!]));
  const smallCapitals = new Map(Array.from('prodctin').map((letter, index) => [letter, Array.from('ᴘʀᴏᴅᴄᴛɪɴ')[index]!]));
  const spellings: ((letter: string) => string)[] = [
    (letter) => letter,
    (letter) => letter.toUpperCase(),
    percent,
    (letter) => percent(letter.toUpperCase()),
    (letter) => percent(percent(letter)),
    wide,
    (letter) => percent(wide(letter)),
    bold,
    (letter) => cyrillic.get(letter) ?? letter,
    (letter) => smallCapitals.get(letter) ?? letter,
    (letter) => `${letter}\u200b`,
    (letter) => `${letter}\u00ad`,
    (letter) => `${letter}\u0301`,
    (letter) => `${letter}\ufe0f`,
  ];
  const spelt = fc
    .tuple(fc.constantFrom('prod', 'production', 'prd'), fc.array(fc.nat(spellings.length - 1), { minLength: 10, maxLength: 10 }))
    .map(([word, how]) =>
      Array.from(word)
        .map((letter, index) => spellings[how[index]!]!(letter))
        .join(''),
    );

  test('of the word alone, between other words, or with a number', () => {
    fc.assert(
      fc.property(
        spelt,
        fc.constantFrom('', 'shop-', 'eu.', 'a_', 'x/', '%2f', 'a%20'),
        fc.constantFrom('', '-1', '.example', '/mcp', '_b', '%2e'),
        (word, before, after) => {
          expect(namesProduction(`${before}${word}${after}`)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('in any place that the rules look at', () => {
    fc.assert(
      fc.property(spelt, (word) => {
        expect(rules({ ...calm, environment: word }, home, {})).toContain('experiment-environment');
        expect(rules(calm, at('http://a/', { env: word }), {})).toContain('label');
        expect(rules({ ...calm, target: word }, home, {})).toContain('target-name');
        expect(rules(calm, at(`http://shop.example/${word}/mcp`), {})).toContain('target-address');
        expect(rules(calm, at(`http://${word}.example/mcp`), {})).toContain('target-address');
        expect(rules(calm, home, { NODE_ENV: word })).toContain('environment-variable');
      }),
      { numRuns: 1000 },
    );
  });

  test('and no text breaks the rules', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof beginsLikeProduction(`%${text}`) === 'boolean'));
  });
});

test('is cheap enough for every tick', () => {
  const began = performance.now();
  for (let round = 0; round < 1000; round++) refusalsOf(calm, home, { NODE_ENV: 'test' });
  expect(performance.now() - began).toBeLessThan(2000);
});
