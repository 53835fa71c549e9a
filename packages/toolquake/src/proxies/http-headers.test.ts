import { expect, test } from 'vitest';
import { bodyFraming, endToEnd, headerOf, isCompressed, isEventStream, serverHeaders, withBodyLength, withHeader } from './http-headers.js';

test('only hop-by-hop headers stay behind, and those that Connection names', () => {
  const headers = [
    'HOST',
    'a',
    'Connection',
    'close, X-Private',
    'x-private',
    '1',
    'TE',
    'trailers',
    'X-Te',
    'kept',
    'Transfer-Encoding',
    'chunked',
    'Set-Cookie',
    'a',
    'set-cookie',
    'b',
  ];
  expect(endToEnd(headers)).toEqual(['HOST', 'a', 'X-Te', 'kept', 'Set-Cookie', 'a', 'set-cookie', 'b']);
});

test('a connection cannot name an end-to-end header away by saying keep-alive or close', () => {
  expect(endToEnd(['Connection', 'Keep-Alive', 'A', '1'])).toEqual(['A', '1']);
  expect(endToEnd(['Connection', 'close', 'close', 'x'])).toEqual(['close', 'x']);
});

test('a header is set in its own place and spelling', () => {
  expect(withHeader(['A', '1', 'CONTENT-length', '5', 'B', '2'], 'Content-Length', '9')).toEqual([
    'A',
    '1',
    'CONTENT-length',
    '9',
    'B',
    '2',
  ]);
  expect(withHeader(['A', '1'], 'B', '2')).toEqual(['A', '1', 'B', '2']);
});

test('another body brings another length, and drops what described the old one', () => {
  expect(withBodyLength(['Content-Encoding', 'gzip', 'ETag', 'x', 'Content-Length', '5', 'A', '1'], 7)).toEqual([
    'Content-Length',
    '7',
    'A',
    '1',
  ]);
});

test('reads headers in any spelling', () => {
  expect(headerOf(['mCp-SeSsIoN-iD', '7'], 'mcp-session-id')).toBe('7');
  expect(isEventStream(['content-TYPE', 'Text/Event-Stream; charset=utf-8'])).toBe(true);
  expect(isCompressed(['Content-Encoding', 'GZIP'])).toBe(true);
  expect(isCompressed(['Content-Encoding', 'identity'])).toBe(false);
  expect(['length', 'chunked', 'none']).toEqual(
    [
      ['content-Length', '0'],
      ['Transfer-encoding', 'chunked'],
      ['A', '1'],
    ].map(bodyFraming),
  );
});

test('what a server says with every answer is told from what belongs to one answer', () => {
  const headers = [
    'X-Powered-By',
    'Express',
    'content-TYPE',
    'text/html',
    'Access-Control-Allow-Origin',
    '*',
    'Set-Cookie',
    'a=1',
    'Date',
    'now',
    'Connection',
    'close',
    'Mcp-Session-Id',
    '7',
  ];
  expect(serverHeaders(headers)).toEqual(['X-Powered-By', 'Express', 'Access-Control-Allow-Origin', '*']);
});
