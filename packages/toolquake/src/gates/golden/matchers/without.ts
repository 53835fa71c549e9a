import { redactText } from '../../../recordings/redact.js';
import { defineMatcher } from '../matcher.js';
import { compilePattern, MAX_SEARCHED, type Pattern } from '../pattern/pattern.js';

const LEAKS: Readonly<Record<string, string>> = {
  'stack-trace':
    '\\n\\s*at [^\\n]{1,200}:\\d+|Traceback \\(most recent call last\\)|^\\s*at [\\w.$<>]+ ?\\(|panic: |\\bException in thread |\\.(?:java|cs|py|rb|go|js|ts):\\d+\\)?:? in ',
  email: '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\\.[A-Za-z]{2,}',
  'card-number': '(?:^|\\D)(?:4\\d{3}|5[1-5]\\d\\d|3[47]\\d\\d)[ -]?\\d{4}[ -]?\\d{4}[ -]?\\d{3,4}(?:\\D|$)',
  'phone-number': '\\+\\d{1,3}[ -]?\\(?\\d{2,4}\\)?(?:[ -]?\\d{2,4}){2,4}',
  'ip-address': '\\b(?:\\d{1,3}\\.){3}\\d{1,3}\\b',
};
const SECRET = 'secret';
const patterns = new Map<string, Pattern>();

/** What leaks. The text of a mismatch never repeats it. */
export const without = defineMatcher({
  word: 'without',
  field: {
    kind: 'list',
    item: { kind: 'word', words: [...Object.keys(LEAKS), SECRET], about: 'A kind of leak.' },
    about: `Leaks that the answer is free of: ${[...Object.keys(LEAKS), SECRET].join(', ')}.`,
  },
  example: '[stack-trace, email]',
  isStable: () => false,
  judge: (given, { text }) =>
    given.filter((leak) => holds(leak, text)).map((leak) => ({ says: `the answer holds what looks like this: ${leak}` })),
});

function holds(leak: string, text: string): boolean {
  if (leak === SECRET) return redactText(text) !== text;
  const source = LEAKS[leak];
  if (source === undefined) return false;
  const pattern = patterns.get(leak) ?? compilePattern(source);
  patterns.set(leak, pattern);
  // In windows that overlap, so that a long answer hides nothing.
  for (let from = 0; from === 0 || from < text.length; from += MAX_SEARCHED - OVERLAP) {
    if (pattern.test(text.slice(from, from + MAX_SEARCHED))) return true;
  }
  return false;
}

const OVERLAP = 500;
