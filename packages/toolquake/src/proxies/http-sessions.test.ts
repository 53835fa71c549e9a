import { frameFromMessage, type Frame } from '@toolquake/sdk/core';
import { expect, test } from 'vitest';
import { createSessions, type Sessions } from './http-sessions.js';

const frame = (message: object): Frame => frameFromMessage('to-server', message);
const hello = (name: string): Frame => frame({ id: 0, method: 'initialize', params: { clientInfo: { name } } });
const modern = (method: string, name: string): Frame =>
  frame({
    id: 1,
    method,
    params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name } } },
  });
const LIST = frame({ id: 1, method: 'tools/list' });

function start(labelHeader?: string): { sessions: Sessions; forgotten: string[] } {
  const forgotten: string[] = [];
  const sessions = createSessions({ target: undefined, labelHeader, onForget: (session) => forgotten.push(session.label) });
  return { sessions, forgotten };
}

test('a legacy session is known by the id that the server gave it, and named after its client', () => {
  const { sessions } = start();
  const first = sessions.of([], hello('agent'));
  sessions.learn(first, 'random-id-1');
  const second = sessions.of([], hello('agent'));
  sessions.learn(second, 'random-id-2');
  expect([first, second].map(({ session }) => session.label)).toEqual(['agent#1', 'agent#2']);
  expect(sessions.of(['mcp-session-id', 'random-id-1'], LIST)).toBe(first);
  expect(sessions.of(['MCP-SESSION-ID', 'random-id-2'], undefined)).toBe(second);
});

test('a server without sessions has one, of the last client that said hello', () => {
  const { sessions } = start();
  expect(sessions.of([], LIST)).toBe(sessions.main);
  const record = sessions.of([], hello('agent'));
  sessions.learn(record, undefined);
  expect(sessions.of([], LIST)).toBe(record);
});

test('modern clients are told apart by name', () => {
  const { sessions } = start();
  const one = sessions.of([], modern('tools/list', 'one'));
  expect(sessions.of([], modern('tools/call', 'one'))).toBe(one);
  expect(sessions.of([], modern('tools/call', 'two')).session.label).toBe('two#1');
  expect(one.session).toMatchObject({ label: 'one#1', era: 'modern' });
});

test('a modern probe that falls back to the legacy era is still the first session of its client', () => {
  const { sessions } = start();
  const probe = sessions.of([], modern('server/discover', 'agent'));
  const legacy = sessions.of([], hello('agent'));
  expect(legacy).toBe(probe);
  expect(legacy.session).toMatchObject({ label: 'agent#1', era: 'legacy' });
  expect(sessions.of([], hello('agent')).session.label).toBe('agent#2');
});

test('a configured header names the session, whatever else is said', () => {
  const { sessions } = start('X-Task');
  const record = sessions.of(['x-task', 'seven'], hello('agent'));
  expect(record.session.label).toBe('seven');
  expect(sessions.of(['X-TASK', 'seven', 'mcp-session-id', 'a'], LIST)).toBe(record);
});

test('the quietest session is forgotten when there are too many, and an ended one at once', () => {
  const { sessions, forgotten } = start('label');
  for (let n = 0; n < 1025; n++) sessions.of(['label', n === 1000 ? '0' : String(n)], LIST);
  sessions.of(['label', '1000'], LIST);
  sessions.of(['label', 'one more'], LIST);
  expect(forgotten).toEqual(['0', '1']);
  sessions.learn(sessions.of([], hello('agent')), 'id');
  sessions.end('id');
  expect(forgotten.at(-1)).toBe('agent#1');
});

test('HTTP+SSE sessions are told by the endpoint that their stream announced, and named after their client', () => {
  const { sessions } = start();
  const one = sessions.announced('/messages?sessionId=1', []);
  const two = sessions.announced('/messages?sessionId=2', []);
  expect(sessions.of([], hello('agent'), '/messages?sessionId=2')).toBe(two);
  expect(sessions.of([], hello('agent'), '/x/../messages?sessionId=1')).toBe(one);
  sessions.learn(one, undefined);
  expect([one, two].map(({ session }) => session.label)).toEqual(['agent#2', 'agent#1']);
  expect(sessions.of([], LIST, '/messages?sessionId=1')).toBe(one);
  expect(sessions.of([], LIST, '/messages?sessionId=3')).toBe(sessions.main);
  expect([...sessions.all()]).toEqual(expect.arrayContaining([one, two]));
});

test('a header names HTTP+SSE sessions too, and a modern probe before counts as the same client', () => {
  const { sessions } = start('X-Task');
  const labelled = sessions.announced('/m?s=1', ['x-task', 'seven']);
  expect(labelled.session.label).toBe('seven');
  sessions.of(['X-Task', 'eight'], LIST, '/m?s=1');
  expect(labelled.session.label).toBe('eight');
  sessions.of([], modern('server/discover', 'agent'));
  const record = sessions.announced('/m?s=2', []);
  sessions.of([], hello('agent'), '/m?s=2');
  expect(record.session.label).toBe('agent#1');
});
