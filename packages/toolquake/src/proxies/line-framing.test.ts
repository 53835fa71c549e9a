import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineFramer, type LineVerdict } from './line-framing.js';

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Runs chunks through a framer and records what happened, in order. */
function frame(
  chunks: readonly Uint8Array[],
  options: { judge?: (line: string) => LineVerdict; wants?: () => boolean; maxFrameBytes?: number } = {},
) {
  const lines: string[] = [];
  const oversized: string[] = [];
  const passed: Uint8Array[] = [];
  const ends: boolean[] = [];
  const judge = options.judge ?? (() => 'pass');
  const framer = createLineFramer(
    {
      wants: options.wants ?? (() => true),
      line: (bytes) => {
        lines.push(textOf(bytes));
        return judge(textOf(bytes));
      },
      oversized: (prefix) => {
        oversized.push(textOf(prefix));
        return judge(textOf(prefix));
      },
      pass: (bytes, isLineEnd) => {
        passed.push(bytes);
        ends.push(isLineEnd);
      },
    },
    options.maxFrameBytes ?? 1024,
  );
  for (const chunk of chunks) framer.push(chunk);
  framer.end();
  return { lines, oversized, passed, ends, out: textOf(Buffer.concat(passed)) };
}

/** Any bytes, rich in newlines, in any chunking. */
const chunks = fc.array(
  fc
    .array(fc.oneof({ weight: 1, arbitrary: fc.constant(0x0a) }, { weight: 4, arbitrary: fc.integer({ min: 0, max: 255 }) }), {
      maxLength: 40,
    })
    .map((bytes) => Uint8Array.from(bytes)),
  { maxLength: 12 },
);

describe('nothing is claimed', () => {
  test('any bytes in any chunking leave as they came, looked at or not, over the limit or not', () => {
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 30 }), fc.infiniteStream(fc.boolean()), (input, maxFrameBytes, interest) => {
        const result = frame(input, { maxFrameBytes, wants: () => interest.next().value === true });
        expect(result.out).toBe(textOf(Buffer.concat(input)));
      }),
      { numRuns: 2000 },
    );
  });

  test('the lines seen do not depend on the chunking', () => {
    fc.assert(
      fc.property(chunks, (input) => {
        const whole = Buffer.concat(input);
        const expected = textOf(whole).split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(frame(input).lines).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('all lines of a chunk leave in one piece, the very bytes that came', () => {
    const chunk = bytesOf('{"id":1}\n{"id":2}\r\n\n');
    const { passed, lines } = frame([chunk]);
    expect(passed).toHaveLength(1);
    expect(passed[0]).toBe(chunk);
    expect(lines).toEqual(['{"id":1}', '{"id":2}\r', '']);
  });

  test('a last line without a newline is a line', () => {
    const { lines, out, ends } = frame([bytesOf('a\nb')]);
    expect(lines).toEqual(['a', 'b']);
    expect(out).toBe('a\nb');
    expect(ends.at(-1)).toBe(false);
  });
});

describe('some lines are claimed', () => {
  test('exactly the claimed lines are missing, in any chunking', () => {
    fc.assert(
      fc.property(chunks, (input) => {
        const isClaimed = (line: string): boolean => line.length % 2 === 1;
        const lines = textOf(Buffer.concat(input)).split('\n');
        const kept = lines.map((line, index) => (index === lines.length - 1 ? line : `${line}\n`));
        const expected = kept.filter((line) => !isClaimed(line.replace('\n', ''))).join('');
        expect(frame(input, { judge: (line) => (isClaimed(line) ? 'taken' : 'pass') }).out).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('what is written while a line is judged comes after the lines before it', () => {
    const out: string[] = [];
    const framer = createLineFramer(
      {
        wants: () => true,
        line: (bytes) => {
          if (textOf(bytes) !== 'fault') return 'pass';
          framer.flush();
          out.push('ANSWER\n');
          return 'taken';
        },
        oversized: () => 'pass',
        pass: (bytes) => out.push(textOf(bytes)),
      },
      1024,
    );
    framer.push(bytesOf('one\ntwo\nfault\nthree\n'));
    expect(out).toEqual(['one\ntwo\n', 'ANSWER\n', 'three\n']);
  });
});

describe('a line over the limit', () => {
  test('is decided once, by its beginning, and streamed on without being kept', () => {
    const { oversized, lines, out, ends } = frame([bytesOf('abcdef'), bytesOf('ghijkl'), bytesOf('mnopqr'), bytesOf('stu\nx\n')], {
      maxFrameBytes: 8,
    });
    expect(oversized).toEqual(['abcdefghijkl']);
    expect(lines).toEqual(['x']);
    expect(out).toBe('abcdefghijklmnopqrstu\nx\n');
    expect(ends).toEqual([false, false, false, true, true]);
  });

  test('is left out as a whole when it is claimed', () => {
    const judge = (line: string): LineVerdict => (line.startsWith('abc') ? 'taken' : 'pass');
    expect(frame([bytesOf('abcdef'), bytesOf('ghijkl'), bytesOf('mno\nx\n')], { maxFrameBytes: 8, judge }).out).toBe('x\n');
    expect(frame([bytesOf('abcdefghijklmno\nx\n')], { maxFrameBytes: 8, judge }).out).toBe('x\n');
  });
});
