import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from './fixtures/any-character.js';
import { escapeMarkdown, escapeXml, printable } from './escape.js';

test('escaped text has nothing left that HTML, XML or a quoted attribute would act on', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(escapeXml(text).replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[&<>"']/);
      expect(escapeXml(text)).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u);
    }),
  );
});

test('markdown is left with nothing to act on', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const rest = escapeMarkdown(text).replace(/&#\d+;/g, '');
      expect(rest).not.toMatch(/[\\`*_{}[\]<>#|~&@$\n]|:\/|www\./i);
    }),
  );
  expect(escapeMarkdown('a|b @me')).toBe('a&#124;b &#64;&#8288;me');
  expect(escapeMarkdown('see https://x.example, www.x.example')).toBe('see https&#58;//x.example, www&#46;x.example');
  expect(escapeMarkdown('13 % of calls (at 0.05); plain.')).toBe('13 % of calls (at 0.05); plain.');
});

test('what cannot be seen becomes visible', () => {
  expect(printable('a\u001b[2J\u202eb\ud800c😀')).toBe('a\ufffd[2J\ufffdb\ufffdc😀');
  expect(printable('a\u200fb\u200ec\u061cd')).toBe('a\ufffdb\ufffdc\ufffdd');
});
