import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { malformedBody } from './malformed-body.js';

faultContract(malformedBody, { example: { as: 'cut' }, claimsValid: false });

const ANSWER = new TextEncoder().encode(JSON.stringify(exampleAnswer(exampleResult())));

/** The bytes that the client gets, as text of one character per byte, and what the journal says of the call. */
function answerAs(as: string): { readonly bytes: Uint8Array; readonly text: string; readonly outcome: unknown } {
  const rig = createTestRig(malformedBody, { params: { as } });
  rig.request(exampleCall());
  rig.answer(ANSWER);
  const bytes = rig.ends.log[1]?.bytes ?? new Uint8Array();
  const [call] = rig.journal.filter((entry) => entry.kind === 'call');
  return { bytes, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), outcome: call?.outcome };
}

test.each(['page', 'cut', 'garbage', 'bom'])('answers with bytes that nobody can parse, on one line (%s)', (as) => {
  const { bytes, text, outcome } = answerAs(as);
  expect(bytes.length).toBeGreaterThan(0);
  // A line break would be the end of a message on a pipe.
  expect(bytes).not.toContain(0x0a);
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(outcome).toBe('rpc-error');
});

test('cuts the answer where half of it has passed', () => {
  expect(answerAs('cut').bytes).toEqual(ANSWER.slice(0, Math.floor(ANSWER.length / 2)));
});

test('puts a byte order mark before the answer, or a carriage return behind it', () => {
  expect([...answerAs('bom').bytes]).toEqual([0xef, 0xbb, 0xbf, ...ANSWER]);
  expect([...answerAs('crlf').bytes]).toEqual([...ANSWER, 0x0d]);
});

test('breaks a line where JSON allows none', () => {
  const { text } = answerAs('newline-inside');
  const [first = '', second = '', ...rest] = text.split('\n');
  expect(rest).toEqual([]);
  expect(first + second).toBe(new TextDecoder().decode(ANSWER));
  for (const part of [first, second, text]) expect(() => JSON.parse(part) as unknown).toThrow(SyntaxError);
});

test('is no text where it is garbage', () => {
  const { bytes } = answerAs('garbage');
  expect(bytes.every((byte) => byte >= 0x80)).toBe(true);
  expect(bytes).toEqual(answerAs('garbage').bytes);
});
