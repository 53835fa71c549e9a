import { expect, test } from 'vitest';
import { TargetFailure, type RpcOutcome } from '../core/connection.js';
import type { FailureReason } from '../core/failure-reason.js';
import { endOfAnswer, endOfFailure, isWorthRetrying } from './call-end.js';

const result = (more: object): RpcOutcome => ({ kind: 'result', result: { content: [], ...more } });
const text = (words: string, more: object = {}): RpcOutcome => result({ content: [{ type: 'text', text: words }], ...more });
const error = (message: string, httpStatus?: number): RpcOutcome => ({ kind: 'error', error: { code: -32000, message, httpStatus } });

test.each<[string, RpcOutcome, number, string]>([
  ['data where data is expected', text('{"items":[1]}'), 5, 'ok'],
  ['structured data', result({ structuredContent: { items: [0] } }), 5, 'ok'],
  ['an empty list', text('{"items":[]}'), 5, 'empty'],
  ['an empty mapping', text('{"items":{}}'), 5, 'empty'],
  ['nothing at all', text('{}'), 5, 'empty'],
  ['text that is no data', text('sorry'), 5, 'empty'],
  ['a zero, which is an answer', text('{"items":0}'), 5, 'ok'],
  ['an error of the tool', text('database is down', { isError: true }), 5, 'error'],
  ['a quick refusal', text('Too many connections, try again later', { isError: true }), 5, 'rejected'],
  ['a refusal after half the patience', text('too many connections', { isError: true }), 600, 'error'],
  ['an error of the protocol', error('boom'), 5, 'error'],
  ['a refusal by status, however late', error('boom', 429), 900, 'rejected'],
  ['the timeout of a pool, which is no refusal', text('timeout exceeded when trying to connect', { isError: true }), 5, 'error'],
])('%s', (_, outcome, ms, end) => {
  expect(endOfAnswer(outcome, { ms, timeoutMs: 1000, notEmpty: 'items' }).end).toBe(end);
});

test.each<[FailureReason, string]>([
  ['http_rate_limited', 'rejected'],
  ['http_unavailable', 'rejected'],
  ['canary_timeout', 'timeout'],
  ['initialize_timeout', 'timeout'],
  ['http_gateway_timeout', 'timeout'],
  ['http_server_error', 'error'],
  ['jsonrpc_invalid', 'wrong'],
  ['http_unexpected_content', 'wrong'],
  ['http_bad_gateway', 'broken'],
  ['stdio_exited', 'broken'],
  ['sse_broken', 'broken'],
  ['session_lost', 'broken'],
])('the failure %s ends a call as %s', (reason, end) => {
  expect(endOfFailure(new TargetFailure({ reason, step: 'call', detail: 'x' })).end).toBe(end);
});

test('secrets and control characters of a server stay out of the detail', () => {
  const { detail } = endOfAnswer(
    text(`a\nb \u0007 Authorization: Bearer sk-abcdefghijklmnopqrstuvwxyz0123 ${'x'.repeat(9000)}`, { isError: true }),
    {
      ms: 1,
      timeoutMs: 10,
    },
  );
  expect(detail).toMatch(/^a /);
  expect(detail).not.toMatch(/sk-abcdef/);
  expect(detail!.length).toBeLessThanOrEqual(200);
});

test('who knows that there is no answer tries again; who was told nothing does not', () => {
  expect(['ok', 'empty', 'error', 'rejected', 'timeout', 'broken', 'wrong'].map((end) => isWorthRetrying(end as 'ok'))).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
    true,
  ]);
});
