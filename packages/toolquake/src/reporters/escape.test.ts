import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeMarkdown, escapeXml, printable } from './escape.js';

test('escaped text has nothing left that HTML, XML or a quoted attribute would act on', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeXml(text).replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[&<>"']/);
      expect(escapeXml(text)).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u);
    }),
  );
});

test('markdown has letters, digits, spaces and entities only', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(escapeMarkdown(text).replace(/&#\d+;/g, '')).not.toMatch(/[!-/:-@[-`{-~\n]/);
    }),
  );
  expect(escapeMarkdown('a|b @me')).toBe('a&#124;b &#64;&#8288;me');
});

test('what cannot be seen becomes visible', () => {
  expect(printable('a\u001b[2J\u202eb\ud800c😀')).toBe('a\ufffd[2J\ufffdb\ufffdc😀');
});
