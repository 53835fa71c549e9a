import { expect, test } from 'vitest';
import { frameFromMessage, type Frame } from './frame.js';
import { changedNameHeader } from './name-header.js';

const callOf = (name: unknown): Frame => frameFromMessage('to-server', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });

test.each([
  ['search', 'search'],
  ['two words', 'two words'],
  [' pay', '=?base64?IHBheQ==?='],
  ['zahl-ü', '=?base64?emFobC3DvA==?='],
  ['=?base64?cGF5?=', '=?base64?PT9iYXNlNjQ/Y0dGNT89?='],
  ['a\r\nhost: b', '=?base64?YQ0KaG9zdDogYg==?='],
])('%j travels as %s', (name, value) => {
  expect(changedNameHeader(callOf('pay'), callOf(name))).toBe(value);
});

test('stays when the name does, or when there is none', () => {
  expect(changedNameHeader(callOf('pay'), callOf('pay'))).toBeUndefined();
  expect(changedNameHeader(callOf('pay'), callOf(1))).toBeUndefined();
});
