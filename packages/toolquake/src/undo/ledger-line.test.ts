import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ledgerLineText, readLedgerLine, type LedgerLine } from './ledger-line.js';
import { parseLedger } from './read-ledger.js';

const runner = { pid: 4, startTicks: 7, bootId: 'boot', host: 'here', pidNamespace: 'pid:[1]' };
const open: LedgerLine = {
  kind: 'open',
  run: 'one',
  runner,
  startedAt: '2026-11-18',
  deadlineMs: 5000,
  lock: { directory: '/l', token: 3 },
};

const step = fc.integer({ min: 1, max: 9 });
const anyLine: fc.Arbitrary<LedgerLine> = fc.oneof(
  fc.constant(open),
  fc.constant<LedgerLine>({ kind: 'watch', warden: runner }),
  fc.record({
    kind: fc.constant('intent' as const),
    step,
    action: fc.string({ unit: 'binary' }),
    name: fc.string({ unit: 'grapheme' }),
    undo: fc.record({ kind: fc.string(), data: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })) }, { noNullPrototype: true }),
  }),
  fc.record({ kind: fc.constant('applied' as const), step }),
  fc.record({ kind: fc.constant('takeover' as const), by: fc.constant('warden' as const), why: fc.string() }),
  fc.record({
    kind: fc.constant('outcome' as const),
    step,
    by: fc.constantFrom('runner' as const, 'person' as const),
    state: fc.oneof(
      fc.record({ is: fc.constant('undone' as const), proof: fc.string() }),
      fc.record({ is: fc.constant('not-undone' as const), why: fc.string() }),
    ),
    tookMs: fc.nat(),
  }),
  fc.constant<LedgerLine>({ kind: 'close', by: 'sweep' }),
);

test('a line comes back as it was written, and is one line', () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const text = ledgerLineText(line);
      expect(text.indexOf('\n')).toBe(text.length - 1);
      const read = readLedgerLine(text.slice(0, -1));
      // As JSON: what has no text there is not told apart.
      expect(read).toEqual({ is: 'line', line: JSON.parse(JSON.stringify(line)) });
    }),
  );
});

test('a line that was cut anywhere is torn, never another line', () => {
  fc.assert(
    fc.property(anyLine, fc.nat(), (line, at) => {
      const text = ledgerLineText(line).slice(0, -1);
      const cut = text.slice(0, at % text.length);
      expect(readLedgerLine(cut).is).not.toBe('line');
    }),
  );
});

test('a line with one character changed is never acted on', () => {
  fc.assert(
    fc.property(anyLine, fc.nat(), fc.constantFrom('x', '"', '}', '0', ' '), (line, at, other) => {
      const text = ledgerLineText(line).slice(0, -1);
      const place = at % text.length;
      fc.pre(text[place] !== other);
      expect(readLedgerLine(`${text.slice(0, place)}${other}${text.slice(place + 1)}`).is).not.toBe('line');
    }),
  );
});

test('any bytes at all are read without an exception, and open no step', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(parseLedger(Buffer.from(bytes).toString('utf8')).steps).toEqual([]);
    }),
  );
});

test('a line of a newer version, or of a kind that is not known, is told as damage', () => {
  const text = ledgerLineText({ kind: 'later' } as unknown as LedgerLine);
  expect(readLedgerLine(text.trim())).toEqual({ is: 'damaged', why: 'its kind is not known (later)' });
});
