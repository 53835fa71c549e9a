import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyedRandom } from './random.js';
import {
  decimalsOf,
  digitsSwapped,
  formOf,
  numberWith,
  otherCard,
  otherDate,
  otherIban,
  otherIdentifier,
  otherParts,
  otherUuid,
  type Draw,
} from './value-form.js';

const drawsOf = (seed: number): Draw => {
  const stream = keyedRandom(seed).stream('rule', 'scope');
  let index = 0;
  return () => stream.draw(1, index++);
};

test.each<[unknown, string | undefined]>([
  [true, 'boolean'],
  [88.25, 'number'],
  [1e21, undefined],
  [1e-9, undefined],
  [NaN, undefined],
  ['88.250', 'amount'],
  ['-3', 'amount'],
  ['007', 'identifier'],
  ['2026-02-28', 'date'],
  ['2026-02-30', 'identifier'],
  ['2026-02', 'date'],
  ['2026-02-28T10:00:00.123+01:00', 'date'],
  ['2026-02-28 10:00', 'date'],
  ['2026-02-28 noon', undefined],
  ['123e4567-e89b-12d3-a456-426614174000', 'uuid'],
  ['4111 1111 1111 1111', 'card'],
  [4111111111111111, 'card'],
  ['4111 1111 1111 1112', undefined],
  ['DE89 3704 0044 0532 0130 00', 'iban'],
  ['GB82WEST12345698765432', 'iban'],
  ['GB83WEST12345698765432', 'identifier'],
  ['A-1002', 'identifier'],
  ['10:30', 'parts'],
  ['12/31/2026', 'parts'],
  ['192.168.1.10', 'parts'],
  ['some words', undefined],
  ['word', undefined],
  ['', undefined],
  [null, undefined],
  [[1], undefined],
])('knows the form of %j', (value, form) => {
  expect(formOf(value)).toBe(form);
});

describe('another value of the same form', () => {
  const seeds = fc.integer({ min: 0, max: 1e6 });

  test('dates keep their precision and what follows the day', () => {
    const dates = fc
      .tuple(
        fc.date({ min: new Date('1990-01-01'), max: new Date('2090-12-31'), noInvalidDate: true }),
        fc.constantFrom(7, 10, 16, 19, 23, 24),
        fc.constantFrom('', 'Z', '+02:00'),
      )
      .map(([date, length, zone]) => date.toISOString().slice(0, length) + (length > 10 && length < 24 ? zone : ''));
    fc.assert(
      fc.property(dates, seeds, (date, seed) => {
        expect(formOf(date)).toBe('date');
        const made = otherDate(date, drawsOf(seed))!;
        expect([formOf(made), made.length, made.slice(10)]).toEqual(['date', date.length, date.slice(10)]);
        expect(made).not.toBe(date);
      }),
    );
  });

  test('UUIDs keep version, variant and case', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), seeds, (uuid, isUpper, seed) => {
        const clean = isUpper ? uuid.toUpperCase() : uuid;
        const made = otherUuid(clean, drawsOf(seed));
        expect([formOf(made), made[14], made[19]]).toEqual(['uuid', clean[14], clean[19]]);
        expect(made).toBe(isUpper && /[A-F]/.test(clean) ? made.toUpperCase() : made.toLowerCase());
      }),
    );
  });

  test.each(['4111 1111 1111 1111', '378282246310005', '6011-1111-1111-1117'])(
    'card numbers keep issuer, layout and checksum: %s',
    (card) => {
      for (let seed = 0; seed < 50; seed++) {
        const made = otherCard(card, drawsOf(seed));
        expect(formOf(made)).toBe('card');
        expect(made.replace(/\d/g, '0')).toBe(card.replace(/\d/g, '0'));
        expect(made.replace(/\D/g, '').slice(0, 6)).toBe(card.replace(/\D/g, '').slice(0, 6));
      }
    },
  );

  test.each(['DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432', 'NO9386011117947'])('account numbers stay valid: %s', (iban) => {
    for (let seed = 0; seed < 50; seed++) {
      const made = otherIban(iban, drawsOf(seed));
      expect([formOf(made), made.slice(0, 2), made.replace(/\d/g, '0')]).toEqual(['iban', iban.slice(0, 2), iban.replace(/\d/g, '0')]);
    }
  });

  test('times, local dates and addresses stay possible', () => {
    for (let seed = 0; seed < 200; seed++) {
      const made = (text: string): readonly number[] => otherParts(text, drawsOf(seed)).split(/[:./]/).map(Number);
      const [hours, minutes] = made('19:45');
      expect([hours! <= 23, minutes! <= 59]).toEqual([true, true]);
      const [month, day, year] = made('12/31/2026');
      expect(new Date(Date.UTC(year!, month! - 1, day)).getUTCDate()).toBe(day);
      expect(made('192.168.1.10').every((part) => part <= 255)).toBe(true);
      expect(otherParts('09.01.2026', drawsOf(seed))).toMatch(/^0[1-9]\.01\.2026$/);
    }
  });

  test('identifiers keep their pattern', () => {
    for (let seed = 0; seed < 50; seed++) {
      expect(otherIdentifier('ORD-2026/00417_b7', drawsOf(seed))).toMatch(/^ORD-[1-9]\d{3}\/0\d{4}_b\d$/);
    }
  });

  test('numbers have exactly as many decimals as asked for', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 4 }), seeds, (value, decimals, seed) => {
        const made = numberWith(value, decimals, drawsOf(seed));
        if (made !== undefined) expect(decimalsOf(String(made))).toBe(decimals);
        if (decimals === 0) expect(made).toBe(Math.round(value) + 0);
      }),
    );
  });

  test('swaps two different digits, and never one that would be lost', () => {
    expect(new Set(Array.from({ length: 40 }, (_, seed) => digitsSwapped('12.34', drawsOf(seed))))).toEqual(new Set(['21.34', '12.43']));
    expect([digitsSwapped('10.5', drawsOf(1)), digitsSwapped('11', drawsOf(1)), digitsSwapped('2.05', drawsOf(1))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
