import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nftBlock } from '../network/rule-text.js';
import { blockDependency } from './kinds/block-dependency.js';
import { CONSENT, dependencyParams, DEPENDENCY_FIELDS, readParams } from './dependency-params.js';

const parse = (params: Record<string, unknown>): ReturnType<typeof dependencyParams> =>
  dependencyParams(
    'block-dependency',
    readParams('block-dependency', params, { ...DEPENDENCY_FIELDS, via: blockDependency.params['via']! }),
  );
const fine = { host: '127.0.0.1', port: 5432, namespace: 'shop' };

test('takes a namespace by its name, and by the pid of a process in it', () => {
  expect(parse(fine).namespace).toBe('shop');
  expect(parse({ ...fine, namespace: 4711 }).namespace).toBe('4711');
});

test.each([
  [{ host: '127.0.0.1', port: 5432 }, 'must be told whom to hit'],
  [{ host: '127.0.0.1', port: 5432, scope: 'host' }, 'cuts every process of this host off'],
  [{ ...fine, scope: 'host', consent: CONSENT }, 'contradicts'],
  [{ host: '127.0.0.1', port: 5432, via: 'relay' }, 'needs "admin"'],
  [{ ...fine, via: 'relay', admin: 'http://127.0.0.1:9901' }, 'no meaning'],
  [{ ...fine, port: 0 }, 'port'],
  [{ ...fine, port: 65_536 }, 'port'],
  [{ ...fine, port: '5432' }, 'port'],
  [{ ...fine, hots: 'x' }, 'hots'],
])('refuses %j, and says why', (params, why) => {
  expect(() => parse(params)).toThrow(why);
});

test('hits the whole host only with both words', () => {
  expect(parse({ host: '127.0.0.1', port: 5432, scope: 'host', consent: CONSENT }).isHostWide).toBe(true);
});

describe('hostile text in any parameter (invariant 24)', () => {
  const BITS = [
    '\n',
    '\r',
    '\0',
    ';',
    ' ',
    '-',
    '--',
    '$(id)',
    '`id`',
    '|',
    '&',
    '{',
    '}',
    '"',
    "'",
    '\\',
    '/',
    '../',
    '\u2028',
    'a',
    '0',
    ':',
    '.',
    '%',
  ];
  const text = fc.oneof(
    fc.array(fc.constantFrom(...BITS), { minLength: 1, maxLength: 8 }).map((bits) => bits.join('')),
    fc.constantFrom('--uid-owner', '-j', '5432; flush ruleset', 'lo\nqdisc del', '-', '%eth0'),
    fc.string({ maxLength: 60, unit: 'binary' }),
  );

  test.each(['host', 'namespace', 'user', 'tokenVariable', 'scope', 'consent'])(
    'never passes %s with a break, a separator or an option',
    (key) => {
      fc.assert(
        fc.property(text, (value) => {
          let read: ReturnType<typeof parse>;
          try {
            read = parse({ ...fine, [key]: value });
          } catch {
            return;
          }
          for (const word of [read.host, read.namespace, read.user, read.tokenVariable])
            expect(word ?? 'a').toMatch(/^[A-Za-z0-9_:][A-Za-z0-9_.:-]*$/);
        }),
        { numRuns: 500 },
      );
    },
  );

  test('is told as bad input, with the name of the parameter, and the rest of the world is not asked', async () => {
    const signal = new AbortController().signal;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('host', 'user', 'admin', 'how', 'via'), text, async (key, value) => {
        fc.pre(/[^A-Za-z0-9_.:-]|^-/.test(value));
        const world = { env: {}, signal, manager: undefined, front: undefined, upstream: undefined as never };
        await expect(blockDependency.feasibility({ ...fine, [key]: value }, world)).rejects.toThrow(`params.${key}`);
      }),
      { numRuns: 100 },
    );
  });
});

test('a script for nft has a line for each thing it adds, and no other, whatever the addresses are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 65_535 }),
      (addresses, port) => {
        const aims = addresses.map((address) => ({ address }));
        const lines = nftBlock('TQ-5f1c09aa-03be', { aims, port, uid: undefined, spare: undefined }, 'drop').trimEnd().split('\n');
        expect(lines).toHaveLength(2 + addresses.length);
        for (const line of lines) expect(line).toMatch(/^(create table|add chain|add rule) inet TQ-5f1c09aa-03be\b/);
      },
    ),
  );
});
