import { expect, test } from 'vitest';
import { announcedEndpoint, announcementEdit, endpointPath } from './http-endpoint.js';
import type { UpstreamPlace } from './http-upstream.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (given: Uint8Array): string => new TextDecoder().decode(given);
const ROOT: UpstreamPlace = { origin: 'http://server:3001', prefix: '', isAskedByName: false };
const PREFIXED: UpstreamPlace = { origin: 'http://server:3001', prefix: '/base', isAskedByName: false };
const ask = { path: '/sse', headers: ['Host', '127.0.0.1:9'] };

const read = (endpoint: string, upstream = ROOT, headers = ask.headers): { path: string; said: string } | undefined => {
  const found = announcedEndpoint(bytes(`event: endpoint\ndata: ${endpoint}\n\n`), { upstream, ask: { ...ask, headers } });
  return found && { path: found.path, said: /^data: (.*)$/m.exec(text(found.bytes))![1]! };
};

test.each(['/messages?sessionId=1', 'messages?sessionId=1', '?sessionId=1', '/a/../messages?x=%7e', 'http://127.0.0.1:9/messages'])(
  'an endpoint that leads through the proxy already stays as it is: %s',
  (endpoint) => expect(read(endpoint)?.said).toBe(endpoint),
);

test('an absolute endpoint of the server points to the proxy', () => {
  expect(read('http://server:3001/messages?sessionId=1')).toEqual({
    path: '/messages?sessionId=1',
    said: 'http://127.0.0.1:9/messages?sessionId=1',
  });
  expect(read('//server:3001/messages')?.said).toBe('/messages');
  expect(read('http://server:3001/messages', ROOT, [])?.said).toBe('/messages');
});

test('the prefix of the upstream is no part of what clients ask for', () => {
  expect(read('/base/messages?s=1', PREFIXED)).toEqual({ path: '/messages?s=1', said: '/messages?s=1' });
  expect(read('http://127.0.0.1:9/base/messages', PREFIXED)?.said).toBe('http://127.0.0.1:9/messages');
  expect(read('messages?s=1', PREFIXED)).toEqual({ path: '/messages?s=1', said: 'messages?s=1' });
});

test('no endpoint becomes one of another host', () => {
  expect(read('/base//elsewhere/messages', PREFIXED)).toEqual({
    path: '//elsewhere/messages',
    said: 'http://127.0.0.1:9//elsewhere/messages',
  });
  expect(read('/base//elsewhere/messages', PREFIXED, [])).toBeUndefined();
});

test('what is no endpoint of ours is left alone', () => {
  expect(read('http://elsewhere/messages')).toBeUndefined();
  expect(read('http://')).toBeUndefined();
  expect(read('/outside', PREFIXED)).toBeUndefined();
  for (const event of ['data: /messages\n\n', 'event: message\ndata: /messages\n\n', ': event: endpoint\n\n', 'event: endpoint\n\n'])
    expect(announcedEndpoint(bytes(event), { upstream: ROOT, ask })).toBeUndefined();
});

test('the other lines of the event stay, whatever the line ends', () => {
  const found = announcedEndpoint(bytes('id: 7\r\nevent:endpoint\r\ndata: http://server:3001/m\r\n\r\n'), { upstream: ROOT, ask });
  expect(text(found!.bytes)).toBe('id: 7\nevent:endpoint\ndata: http://127.0.0.1:9/m\n\n');
});

test.each([1, 7, 1000])('without rules only the announcement is corrected, in chunks of %i bytes', (size) => {
  const edit = announcementEdit({ status: 200, reason: 'OK', headers: ['Content-Type', 'text/event-stream'] }, { upstream: ROOT, ask })!;
  const stream = (endpoint: string): string =>
    `: hello\n\nevent: endpoint\ndata: ${endpoint}\n\nevent: endpoint\ndata: http://server:3001/second\n\ndata: torn`;
  const given = bytes(stream('http://server:3001/m?s=1'));
  const parts: Uint8Array[] = [];
  for (let at = 0; at < given.length; at += size) parts.push(edit.push(given.subarray(at, at + size)));
  expect(text(Buffer.concat([...parts, edit.end()]))).toBe(stream('http://127.0.0.1:9/m?s=1'));
});

test('bodies that cannot be corrected are not looked at', () => {
  const look = (status: number, ...headers: string[]): unknown =>
    announcementEdit({ status, reason: '', headers }, { upstream: ROOT, ask });
  expect(look(404, 'content-type', 'text/event-stream')).toBeUndefined();
  expect(look(200, 'content-type', 'application/json')).toBeUndefined();
  expect(look(200, 'content-type', 'text/event-stream', 'content-encoding', 'gzip')).toBeUndefined();
  expect(look(200, 'content-type', 'text/event-stream', 'content-length', '40')).toBeUndefined();
});

test('paths are compared as clients send them', () => {
  expect(endpointPath('/a/../m?s=1#x')).toBe('/m?s=1');
  expect(endpointPath('//m?s=1')).toBe('//m?s=1');
});
