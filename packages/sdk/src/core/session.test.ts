import { describe, expect, test } from 'vitest';
import { frameFromMessage, type Frame } from './frame.js';
import type { Direction, MessageId } from './message.js';
import {
  cancelledExchange,
  closeExchange,
  createSessionNames,
  exchangeOf,
  introductionOf,
  isForTime,
  openExchange,
  renameSession,
  scopeKey,
  startSession,
} from './session.js';

const request = (id: MessageId, direction: Direction = 'to-server'): Frame =>
  frameFromMessage(direction, { jsonrpc: '2.0', id, method: 'ping' });
const response = (id: MessageId, direction: Direction = 'to-client'): Frame =>
  frameFromMessage(direction, { jsonrpc: '2.0', id, result: {} });
const cancelled = (requestId: unknown, direction: Direction = 'to-server'): Frame =>
  frameFromMessage(direction, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

describe('exchanges', () => {
  test('are found by their answers, id 0 and the empty string included', () => {
    const session = startSession();
    for (const id of [0, '', 1, 'a', -1, 1.5]) {
      const exchange = openExchange(session, request(id), 0);
      expect(exchangeOf(session, response(id))).toBe(exchange);
    }
  });

  test('keep numbers and text apart', () => {
    const session = startSession();
    const number = openExchange(session, request(1), 0);
    const text = openExchange(session, request('1'), 0);
    expect(exchangeOf(session, response(1))).toBe(number);
    expect(exchangeOf(session, response('1'))).toBe(text);
  });

  test('of the server and of the client may share an id', () => {
    const session = startSession();
    const ours = openExchange(session, request(1, 'to-server'), 0);
    const theirs = openExchange(session, request(1, 'to-client'), 0);
    expect(exchangeOf(session, response(1, 'to-client'))).toBe(ours);
    expect(exchangeOf(session, response(1, 'to-server'))).toBe(theirs);
    closeExchange(ours);
    expect(exchangeOf(session, response(1, 'to-client'))).toBeUndefined();
    expect(exchangeOf(session, response(1, 'to-server'))).toBe(theirs);
  });

  test('that are closed late leave a newer one with the same id alone', () => {
    const session = startSession();
    const first = openExchange(session, request(1), 0);
    const second = openExchange(session, request(1), 0);
    closeExchange(first);
    expect(exchangeOf(session, response(1))).toBe(second);
  });

  test('of notifications wait for nothing', () => {
    const session = startSession();
    openExchange(session, frameFromMessage('to-server', { method: 'notifications/initialized' }), 0);
    expect(session.waiting['to-server'].size).toBe(0);
    expect(exchangeOf(session, frameFromMessage('to-client', { result: {} }))).toBeUndefined();
  });

  test('take the tool from tool calls only', () => {
    const open = (method: string): string | undefined =>
      openExchange(startSession(), frameFromMessage('to-server', { id: 1, method, params: { name: 'x' } }), 0).tool;
    expect(open('tools/call')).toBe('x');
    expect(open('prompts/get')).toBeUndefined();
  });

  test('that are never answered are forgotten oldest first, beyond a bound', () => {
    const session = startSession();
    for (let id = 0; id < 70_000; id++) openExchange(session, request(id), 0);
    expect(session.waiting['to-server'].size).toBe(65_536);
    expect(exchangeOf(session, response(0))).toBeUndefined();
    expect(exchangeOf(session, response(69_999))).toBeDefined();
  });
});

describe('cancels', () => {
  test('name the exchange of the side that sent them', () => {
    const session = startSession();
    const ours = openExchange(session, request(0), 0);
    const theirs = openExchange(session, request(0, 'to-client'), 0);
    expect(cancelledExchange(session, cancelled(0))).toBe(ours);
    expect(cancelledExchange(session, cancelled(0, 'to-client'))).toBe(theirs);
  });

  test('of unknown, finished or senseless ids name nothing', () => {
    const session = startSession();
    const exchange = openExchange(session, request(1), 0);
    for (const id of [2, '1', undefined, null, {}, true]) expect(cancelledExchange(session, cancelled(id))).toBeUndefined();
    expect(cancelledExchange(session, frameFromMessage('to-server', { method: 'notifications/cancelled' }))).toBeUndefined();
    expect(cancelledExchange(session, request(1))).toBeUndefined();
    closeExchange(exchange);
    expect(cancelledExchange(session, cancelled(1))).toBeUndefined();
  });
});

test('a cancel is for time where its reason says so', () => {
  const reasons = (reason: unknown): boolean =>
    isForTime(frameFromMessage('to-server', { method: 'notifications/cancelled', params: { requestId: 1, reason } }));
  for (const reason of ['McpError: MCP error -32001: Request timed out', 'Request timeout', 'time-out', 'Deadline exceeded'])
    expect(reasons(reason)).toBe(true);
  for (const reason of ['the user pressed Esc', 'sometimes outside', '', undefined, 7, ['timeout']]) expect(reasons(reason)).toBe(false);
});

describe('introductions', () => {
  test('are initialize in the legacy era and _meta in the modern one', () => {
    const legacy = frameFromMessage('to-server', { id: 0, method: 'initialize', params: { clientInfo: { name: 'agent' } } });
    expect(introductionOf(legacy)).toEqual({ era: 'legacy', clientName: 'agent' });
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'agent' } };
    expect(introductionOf(frameFromMessage('to-server', { id: 0, method: 'ping', params: { _meta: meta } }))).toEqual({
      era: 'modern',
      clientName: 'agent',
    });
  });

  test('are absent elsewhere, and a name is text or nothing', () => {
    for (const message of [undefined, 1, {}, { method: 'ping' }, { method: 'ping', params: { _meta: {} } }, { method: 'initialize' }]) {
      expect(introductionOf(frameFromMessage('to-server', message))).toBeUndefined();
    }
    const nameless = frameFromMessage('to-server', { method: 'initialize', params: { clientInfo: { name: 7 } } });
    expect(introductionOf(nameless)).toEqual({ era: 'legacy', clientName: undefined });
  });
});

describe('names', () => {
  test('count clients of the same name', () => {
    const name = createSessionNames();
    expect([name('a'), name('b'), name('a')]).toEqual(['a#1', 'b#1', 'a#2']);
  });

  test('stay bounded in number and length, and known names go on counting', () => {
    const name = createSessionNames();
    name('known');
    for (let client = 0; client < 3000; client++) name(`client-${client}`);
    expect([name('known'), name('known')]).toEqual(['known#2', 'known#3']);
    expect(name('x'.repeat(100_000)).length).toBeLessThan(300);
  });

  test('make scope keys: label and place, forgotten with the old label', () => {
    const session = startSession({ label: 'first' });
    expect(scopeKey(session, 'search')).toBe('first/search');
    renameSession(session, 'second');
    expect(scopeKey(session, 'search')).toBe('second/search');
  });

  test('of places stay bounded in number and length, and stay correct', () => {
    const session = startSession();
    for (let tool = 0; tool < 5000; tool++) expect(scopeKey(session, `tool-${tool}`)).toBe(`default/tool-${tool}`);
    expect(session.scopeKeys.size).toBeLessThanOrEqual(1024);
    expect(scopeKey(session, 'y'.repeat(1_000_000)).length).toBeLessThan(300);
  });
});
