import { forward } from '../core/effect.js';
import { joinBytes } from '../core/event-stream.js';
import { defineFault } from '../core/fault.js';
import { frameBytes, frameFromBytes } from '../core/frame.js';
import { oneOf } from '../core/params.js';

/** What a misconfigured gateway puts in the place of an answer. One line, because a pipe ends messages at line ends. */
const PAGE = new TextEncoder().encode('<html><head><title>Welcome</title></head><body>It works!</body></html>');

const GARBAGE_BYTES = 64;
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
const CARRIAGE_RETURN = Uint8Array.of(0x0d);
const LINE_FEED = Uint8Array.of(0x0a);
const QUOTE = 0x22;

/** What becomes of the bytes of an answer. */
const CHANGES = {
  // Half of an object is never an object.
  cut: (bytes: Uint8Array) => bytes.slice(0, Math.max(1, Math.floor(bytes.length / 2))),
  bom: (bytes: Uint8Array) => joinBytes([BYTE_ORDER_MARK, bytes]),
  crlf: (bytes: Uint8Array) => joinBytes([bytes, CARRIAGE_RETURN]),
  /** Inside a text, because JSON allows line ends everywhere else. A pipe makes two lines of it. */
  'newline-inside': (bytes: Uint8Array) => {
    const at = bytes.indexOf(QUOTE) + 1;
    return joinBytes([bytes.subarray(0, at), LINE_FEED, bytes.subarray(at)]);
  },
};

/** A success by its status, and nothing that a careful client reads as its answer. The server did the work. */
export const malformedBody = defineFault({
  type: 'malformed-body',
  summary: 'Answers with bytes that are not JSON, or not JSON alone.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  params: {
    as: oneOf(['page', 'cut', 'garbage', 'bom', 'newline-inside', 'crlf'], {
      default: 'page',
      about:
        'What comes instead: a web page, the first half of the answer, bytes that are no text, ' +
        'or the answer with a byte order mark, with a line end inside, or with a carriage return behind it.',
    }),
  },
  decide: (event, { as }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const { direction, isOpaque } = event.frame;
    if (as === 'page') return [forward(frameFromBytes(direction, PAGE))];
    if (as === 'garbage') {
      // Bytes over 0x7f only: none of them is a line end, and together they are no UTF-8 that JSON could begin with.
      const bytes = Uint8Array.from({ length: GARBAGE_BYTES }, () => 0x80 + Math.floor(context.draw() * 0x80));
      return [forward(frameFromBytes(direction, bytes))];
    }
    if (isOpaque) return context.notDelivered('too large');
    return [forward(frameFromBytes(direction, CHANGES[as](frameBytes(event.frame))))];
  },
});
