import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from './message.js';
import { keyedRandom } from './random.js';
import { decimalsOf, formOf } from './value-form.js';
import { drawWrongValue, withWrongValue, WRONG_OPS, type WrongValue, type WrongValueOptions } from './wrong-value.js';

const both = (data: unknown): JsonObject => ({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });

function wrong(result: JsonObject, options: Partial<WrongValueOptions> & { seed?: number } = {}): WrongValue | undefined {
  const stream = keyedRandom(options.seed ?? 1).stream('rule', 'scope');
  let index = 0;
  return drawWrongValue(result, { op: 'auto', draw: () => stream.draw(1, index++), ...options });
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const ofOp = (value: unknown, op: WrongValueOptions['op']): readonly unknown[] =>
  seeds.map((seed) => wrong(both({ value }), { op, seed })?.dirty);

describe('each way of being wrong', () => {
  test('scale moves the point and keeps the decimals', () => {
    for (const dirty of ofOp(88.25, 'scale')) {
      expect(decimalsOf(String(dirty))).toBe(2);
      expect([10, 100, 1000, 0.1, 0.01].some((factor) => Math.abs((dirty as number) / (88.25 * factor) - 1) < 0.02)).toBe(true);
    }
    for (const dirty of ofOp(30, 'scale')) expect([3, 300, 3000, 30_000]).toContain(dirty);
  });

  test('offset makes a value that can be recognised, and leaves a small count small', () => {
    for (const dirty of ofOp(88.25, 'offset')) expect(String(dirty).replace(/\D/g, '').length).toBeGreaterThanOrEqual(6);
    for (const dirty of ofOp(12, 'offset')) expect(dirty).toSatisfy((value: number) => Number.isInteger(value) && value > 0 && value <= 24);
  });

  test('sign turns a value round, also in text', () => {
    expect(new Set(ofOp(88.25, 'sign'))).toEqual(new Set([-88.25]));
    expect(new Set(ofOp(-3, 'sign'))).toEqual(new Set([3]));
    expect(new Set(ofOp('88.20', 'sign'))).toEqual(new Set(['-88.20']));
    expect(new Set(ofOp(0, 'sign'))).toEqual(new Set([undefined]));
  });

  test('date moves dates and points in time', () => {
    for (const dirty of ofOp('2026-03-01T10:00:00Z', 'date')) expect(dirty).toMatch(/^202[567]-\d\d-\d\dT10:00:00Z$/);
    for (const dirty of ofOp(1_770_000_000, 'date')) expect(Math.abs((dirty as number) - 1_770_000_000) % 86_400).toBe(0);
    // It has the checksum of a card by accident.
    for (const dirty of ofOp(1_770_000_000_007, 'auto')) expect(Math.abs((dirty as number) - 1_770_000_000_007) % 86_400_000).toBe(0);
    expect(new Set(ofOp(5, 'date'))).toEqual(new Set([undefined]));
  });

  test('bool-flip, digit-swap and entity-swap do what they say', () => {
    expect(new Set(ofOp(true, 'bool-flip'))).toEqual(new Set([false]));
    expect(new Set(ofOp(12.34, 'digit-swap'))).toEqual(new Set([21.34, 12.43]));
    for (const dirty of ofOp('A-1002', 'entity-swap')) expect(dirty).toMatch(/^A-[1-9]\d{3}$/);
    expect(new Set(ofOp('plain words', 'entity-swap'))).toEqual(new Set([undefined]));
    for (const dirty of ofOp(4111111111111111, 'auto')) expect(formOf(dirty)).toBe('card');
  });
});

describe('with a schema', () => {
  const schema = {
    type: 'object',
    properties: {
      state: { enum: ['open', 'closed', 'lost'] },
      share: { type: 'number', minimum: 0, maximum: 100 },
      fixed: { const: 'x1' },
    },
  };

  test('a value of a closed list stays in the list', () => {
    expect(new Set(seeds.map((seed) => wrong(both({ state: 'open' }), { schema, seed })?.dirty))).toEqual(new Set(['closed', 'lost']));
    expect(wrong(both({ fixed: 'x1' }), { schema })).toBeUndefined();
  });

  test('a number stays within its bounds', () => {
    for (const seed of seeds) {
      expect(wrong(both({ share: 12.5 }), { schema, seed })?.dirty).toSatisfy(
        (value: number) => value >= 0 && value <= 100 && value !== 12.5,
      );
    }
  });
});

describe('the value that is drawn', () => {
  test('is one that can be recognised, where there is one', () => {
    const data = { n: 3, isPaid: true, orders: [{ total: 88.25 }, { total: 41.5 }] };
    for (const seed of seeds) expect([88.25, 41.5]).toContain(wrong(both(data), { seed })?.clean);
  });

  test('stands where the pattern points', () => {
    const data = { total: 12.25, orders: [{ total: 88.25 }, { total: 41.5 }] };
    const cleans = seeds.map((seed) => wrong(both(data), { seed, pattern: ['orders', null, 'total'] })?.clean);
    expect(new Set(cleans)).toEqual(new Set([88.25, 41.5]));
    expect(wrong(both(data), { pattern: ['nowhere'] })).toBeUndefined();
  });

  test('never becomes one that stands elsewhere in the answer or the request', () => {
    const data = { open: 12, others: [21, 120, 1200, 12_000], note: 'between 1 and 2' };
    for (const seed of seeds) {
      const { dirty } = wrong(both(data), { seed, pattern: ['open'], besides: [{ limit: 24 }] })!;
      expect([1, 2, 21, 24, 120, 1200, 12_000]).not.toContain(dirty);
    }
  });

  test('is a word of the text when there are no data', () => {
    const text = (words: string): JsonObject => ({ content: [{ type: 'text', text: words }] });
    const result = text('Refunded 12.50 EUR for A-1002 on 2026-03-01 (A-10021).');
    for (const seed of seeds) {
      const drawn = wrong(result, { seed })!;
      expect(['12.50', 'A-1002', '2026-03-01', 'A-10021']).toContain(drawn.clean);
      const changed = (withWrongValue(result, drawn)!['content'] as JsonObject[])[0]?.['text'] as string;
      expect(changed.split(String(drawn.dirty))).toHaveLength(2);
      expect(changed).toHaveLength(
        'Refunded 12.50 EUR for A-1002 on 2026-03-01 (A-10021).'.length + String(drawn.dirty).length - String(drawn.clean).length,
      );
    }
    expect(wrong(text('All is well.'))).toBeUndefined();
  });
});

describe('putting it in', () => {
  test('changes data and words alike', () => {
    const result = { content: [{ type: 'text', text: 'The total is 88.25 (not 188.25).' }], structuredContent: { total: 88.25 } };
    const drawn = { path: ['total'], clean: 88.25, dirty: 99.75 };
    expect(withWrongValue(result, drawn)).toEqual({
      content: [{ type: 'text', text: 'The total is 99.75 (not 188.25).' }],
      structuredContent: { total: 99.75 },
    });
    expect(withWrongValue(result, drawn, 'structured')).toEqual({ ...result, structuredContent: { total: 99.75 } });
    expect(withWrongValue(both({ total: 88.25 }), drawn, 'text')).toEqual({
      ...both({ total: 99.75 }),
      structuredContent: { total: 88.25 },
    });
  });

  test('finds the value in a text that holds bare what the structured content wraps', () => {
    const orders = [{ id: 'A-1', total: 88.25 }];
    const result = { content: [{ type: 'text', text: JSON.stringify(orders[0]) }], structuredContent: { result: orders } };
    const drawn = { path: ['result', 0, 'total'], clean: 88.25, dirty: 99.75 };
    const wrongOrder = { id: 'A-1', total: 99.75 };
    expect(withWrongValue(result, drawn)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(wrongOrder) }],
      structuredContent: { result: [wrongOrder] },
    });
  });

  test('whatever the data: same type, same form, other value, both places alike, nothing else touched', () => {
    const scalar = fc.oneof(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => Number(value.toFixed(2)) + 0),
      fc.boolean(),
      fc.uuid(),
      fc.date({ min: new Date('1990-01-01'), max: new Date('2090-12-31'), noInvalidDate: true }).map((date) => date.toISOString()),
      fc.string(),
      fc.constantFrom('4111111111111111', 'DE89370400440532013000', 'A-1002', '12.50', null),
    );
    const data = fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar)));
    fc.assert(
      fc.property(data, fc.constantFrom('auto' as const, ...WRONG_OPS), fc.integer({ min: 0, max: 1e6 }), (value, op, seed) => {
        const result = both(value);
        const drawn = wrong(result, { op, seed });
        expect(wrong(result, { op, seed })).toEqual(drawn);
        if (drawn === undefined) return;
        const { clean, dirty } = drawn;
        expect(typeof dirty).toBe(typeof clean);
        expect(dirty).not.toBe(clean);
        if (typeof clean === 'string') expect(formOf(dirty)).toBe(formOf(clean));
        if (typeof clean === 'number') expect(decimalsOf(String(dirty))).toBe(decimalsOf(String(clean)));
        const changed = withWrongValue(result, drawn)!;
        expect(JSON.parse((changed['content'] as { text: string }[])[0]!.text)).toEqual(changed['structuredContent']);
        if (typeof clean !== 'boolean') expect(countOf(value, dirty)).toBe(0);
        expect(countOf(changed['structuredContent'], dirty)).toBe(countOf(value, dirty) + 1);
      }),
      { numRuns: 500, seed: 3 },
    );
  });
});

function countOf(data: unknown, value: unknown): number {
  if (Array.isArray(data)) return data.reduce((sum: number, item: unknown) => sum + countOf(item, value), 0);
  return isObject(data) ? countOf(Object.values(data), value) : data === value ? 1 : 0;
}
