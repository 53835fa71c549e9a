import { expect, test } from 'vitest';
import { createTestRig, exampleCall, exampleRequest, faultContract } from '../testing/index.js';
import { unauthorized } from './unauthorized.js';

faultContract(unauthorized, {
  example: { challenge: 'ok', resourceMetadata: 'https://mcp.example.com/.well-known/oauth-protected-resource' },
});

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource';
const DESCRIPTION = 'error_description="The access token is missing or not valid"';

test.each([
  ['ok', `Bearer error="invalid_token", ${DESCRIPTION}, resource_metadata="${METADATA}"`],
  ['malformed', `Bearer error="invalid_token", ${DESCRIPTION}, resource_metadata="${METADATA}`],
  ['missing', undefined],
])('answers 401 with a challenge that is %s', (challenge, header) => {
  const rig = createTestRig(unauthorized, { params: { challenge, resourceMetadata: METADATA }, transport: 'http' });
  rig.request(exampleCall());
  expect(rig.ends.log).toMatchObject([
    { what: 'reply', http: { status: 401, body: expect.stringContaining('"invalid_token"') as unknown } },
  ]);
  expect(rig.ends.log[0]?.http?.headers?.['www-authenticate']).toBe(header);
});

test('leaves the address of the metadata out where none is given', () => {
  const rig = createTestRig(unauthorized, { transport: 'http' });
  rig.request(exampleCall());
  expect(rig.ends.log[0]?.http?.headers?.['www-authenticate']).toBe(`Bearer error="invalid_token", ${DESCRIPTION}`);
});

test('lets the tool say it on a pipe, and other requests fail', () => {
  const rig = createTestRig(unauthorized, {
    transport: 'stdio',
    when: { method: ['tools/call', 'resources/read'] },
    params: { text: 'No key' },
  });
  rig.request(exampleCall({ id: 1 }));
  rig.request(exampleRequest('resources/read', { uri: 'x' }, { id: 2 }));
  expect(rig.ends.messages('to-client')).toMatchObject([
    { id: 1, result: { isError: true, content: [{ text: 'No key' }] } },
    { id: 2, error: { message: 'No key' } },
  ]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'tool-error' }]);
});

test('refuses an address that no header can hold', () => {
  const params = { resourceMetadata: 'https://x\r\ny: z' } as unknown as Readonly<Record<string, never>>;
  expect(unauthorized.whyPointless?.(params)).toBe('its resourceMetadata cannot stand in a header');
});
