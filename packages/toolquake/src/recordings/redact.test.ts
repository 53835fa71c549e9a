import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactJson, redactText, redactValue } from './redact.js';

const SECRETS = {
  name: 'hunter2-correct-horse',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
  key: 'sk-abcdefghijklmnop1234',
  encoded: 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3',
};

test('takes secrets out of arguments, results, errors, header-like and env-like texts', () => {
  const messages = [
    {
      method: 'tools/call',
      params: { name: 'login', arguments: { password: SECRETS.name, headers: { Authorization: `Bearer ${SECRETS.key}` } } },
    },
    { id: 1, result: { content: [{ type: 'text', text: `ok\nDB_PASSWORD=${SECRETS.name}\nset-cookie: sid=${SECRETS.encoded}` }] } },
    {
      id: 1,
      result: {
        content: [{ type: 'text', text: JSON.stringify({ deep: { apiKey: SECRETS.name } }) }],
        structuredContent: { token: SECRETS.jwt },
      },
    },
    { id: 1, error: { code: -32000, message: `refused: ${SECRETS.key}`, data: { url: `https://bob:${SECRETS.name}@db.example` } } },
    { id: 1, result: { [SECRETS.encoded]: { credentials: [SECRETS.name, { pin: SECRETS.name }] } } },
  ];
  for (const message of messages) {
    const text = redactJson(JSON.stringify(message));
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
  }
});

test('a secret under a name that ties messages together elsewhere is one', () => {
  const names = { id: SECRETS.encoded, method: SECRETS.jwt, progressToken: SECRETS.key, requestId: SECRETS.encoded };
  const messages = [
    { id: 1, method: 'tools/call', params: { name: 'x', arguments: { ...names, _meta: names } } },
    { id: 1, result: { structuredContent: names, content: [{ type: 'text', text: JSON.stringify(names) }] } },
    [{ id: 1, method: 'tools/call', params: { arguments: names } }],
  ];
  for (const message of messages) {
    const text = redactJson(JSON.stringify(message));
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
  }
});

test('leaves what is no secret as it was spelled', () => {
  const text = '{"jsonrpc":"2.0", "id":12345678901234567890,"result":{"price":1.0,"b":1,"a":2}}';
  expect(redactJson(text)).toBe(text);
  expect(redactJson('{"id":1,"result":{"price":1.0,"big":12345678901234567890,"password":"abc"}}')).toBe(
    '{"id":1,"result":{"price":1.0,"big":12345678901234567890,"password":"[redacted]"}}',
  );
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

test('looks into base64 that holds text, whatever it says to be, and keeps what is no text', () => {
  const blobOf = (text: string): string => Buffer.from(text).toString('base64');
  const file = `name=shop\nDB_PASSWORD=${SECRETS.name}\n`;
  for (const mimeType of ['text/plain', 'application/octet-stream', 'image/svg+xml', undefined]) {
    const message = { id: 1, result: { contents: [{ uri: 'file:///env', mimeType, blob: blobOf(file) }] } };
    const { result } = JSON.parse(redactJson(JSON.stringify(message))) as typeof message;
    expect(Buffer.from(result.contents[0]!.blob, 'base64').toString()).toBe('name=shop\n[redacted]\n');
  }
  const picture = (data: string) => ({ result: { content: [{ type: 'image', data, mimeType: 'image/png' }] } });
  expect(redactJson(JSON.stringify(picture(blobOf(file))))).not.toContain(blobOf(file));
  for (const data of [PNG, PNG.replaceAll('+', '-').replaceAll('/', '_'), `${PNG.slice(0, 60)}\r\n${PNG.slice(60)}`]) {
    expect(redactValue(picture(data))).toEqual(picture(data));
  }
  // Not base64: then it is a text.
  expect(redactJson(JSON.stringify(picture(`token=${SECRETS.name}!`)))).not.toContain(SECRETS.name);
});

test('keeps what ties messages together, schemas and pictures', () => {
  const message = {
    id: SECRETS.encoded,
    params: { _meta: { progressToken: SECRETS.encoded }, progressToken: 7 },
    result: {
      tools: [
        { name: 'login', inputSchema: { type: 'object', properties: { token: { type: 'string', maxLength: 9 } }, required: ['token'] } },
      ],
      content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
    },
  };
  expect(redactValue(message)).toBe(message);
  const proposed = { inputSchema: { properties: { token: { type: 'string', default: 'abc' } } } };
  expect(redactValue(proposed)).toEqual({ inputSchema: { properties: { token: { type: 'string', default: '[redacted]' } } } });
});

test('finds a secret anywhere in a long line, and keeps the rest', () => {
  fc.assert(
    fc.property(fc.nat(4000), fc.nat(4000), (before, after) => {
      const text = `${'x '.repeat(before)}password=${SECRETS.name} ${'y '.repeat(after)}`;
      const redacted = redactText(text);
      expect(redacted).not.toContain(SECRETS.name);
      expect(redacted).toContain('[redacted]');
    }),
    { numRuns: 60 },
  );
  expect(redactText(`${'x '.repeat(4000)}password=${SECRETS.name}`).length).toBeGreaterThan(6000);
});

test('takes a private key out whole', () => {
  const key = '-----BEGIN RSA PRIVATE KEY-----\nabc/def+\nghi\n-----END RSA PRIVATE KEY-----';
  expect(redactText(`before\n${key}\nafter`)).toBe('before\n[redacted]\nafter');
});

test('redacts once: again changes nothing, whatever the message', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = redactJson(JSON.stringify(value));
      expect(redactJson(once)).toBe(once);
    }),
  );
});
