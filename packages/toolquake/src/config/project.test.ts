import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadProject } from './load-project.js';
import { projectSchema } from './project-schema.js';

const WHOLE = `
version: 1
budgets: { hello: 2s, maxPages: 7 }
import: [clients.json]
targets:
  - name: shop
    url: https://shop.example/mcp
    headers: { x-team: "\${TEAM}" }
    auth: { type: bearer, token: "\${SHOP_TOKEN}" }
    budgets: { call: 1500ms }
    slow: { hello: 300ms }
    tools: [search, buy]
    canaries:
      - tool: search
        arguments: { query: hat }
        expect: { contains: hat, data: { ok: true }, least: { total: 1 }, newest: { path: "items[0].at", within: 5m } }
    health: { url: https://shop.example/health, expectStatus: 200, reasonField: reason }
    labels: { team: web }
  - name: local
    command: [node, server.js]
    env: { MODE: test }
    cwd: ./server
    era: modern
`;
const CLIENTS = `{ "mcpServers": { "shop": { "url": "http://other" }, "files": { "command": "npx", "args": ["files"], "env": { "K": "\${env:KEY}" } } } }`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-project-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function load(text: string): Promise<Awaited<ReturnType<typeof loadProject>>> {
  return loadProject('toolquake.yaml', join(folderWith({ 'toolquake.yaml': text, 'clients.json': CLIENTS }), 'toolquake.yaml'));
}

const refusal = (text: string): Promise<string> =>
  load(text).then(
    () => 'accepted',
    (error: Error & { advice?: string }) => `${error.message} ${error.advice ?? ''}`.trim(),
  );

test('everything that a target can say is read, with the defaults of the file', async () => {
  const { targets } = await load(WHOLE);
  expect(targets.map(({ target }) => target.name)).toEqual(['shop', 'local', 'files']);
  expect(targets[0]).toMatchObject({
    target: {
      kind: 'url',
      url: 'https://shop.example/mcp',
      auth: { kind: 'bearer', tokenVariable: 'SHOP_TOKEN' },
      budgets: { helloMs: 2000, maxPages: 7, callMs: 1500 },
    },
    plan: {
      tools: ['search', 'buy'],
      slowMs: { hello: 300 },
      health: { expectStatus: 200, reasonField: 'reason' },
      canaries: [
        {
          name: 'search',
          tool: 'search',
          arguments: { query: 'hat' },
          expect: { contains: ['hat'], data: { ok: true }, least: { total: 1 }, newest: { path: 'items[0].at', withinMs: 300_000 } },
        },
      ],
    },
    labels: { team: 'web' },
  });
  expect(targets[1]?.target).toMatchObject({ kind: 'command', command: ['node', 'server.js'], era: 'modern' });
});

test('servers of client configs are targets; what the file says itself wins', async () => {
  const { targets } = await load(WHOLE);
  expect(targets[2]?.target).toMatchObject({ kind: 'command', command: ['npx', 'files'], env: { K: '${KEY}' } });
});

test.each([
  ['targets:\n  - name: a\n    ulr: http://x', 'toolquake.yaml:3:5: targets[0] has the unknown key "ulr". Did you mean "url"?'],
  ['targets:\n  - url: http://x', 'toolquake.yaml:2:5: targets[0] needs "name": How commands and reports call it.'],
  ['targets:\n  - name: a', 'needs either "url" or "command"'],
  ['targets:\n  - { name: a, url: http://x, command: [b] }', 'not both'],
  ['targets:\n  - { name: a, command: [b], auth: { type: bearer, token: "${A}" } }', 'targets[0].auth is for targets with a URL.'],
  ['targets:\n  - { name: a, url: http://x, auth: { type: bearer, token: s3cret } }', 'secrets come from the environment'],
  ['targets:\n  - { name: a, url: http://x, auth: { type: client-credentials } }', 'needs "clientId"'],
  ['targets:\n  - { name: a, url: http://x, era: modrn }', 'Did you mean "modern"?'],
  ['targets:\n  - { name: a, url: http://x, budgets: { hello: 5 sec } }', 'Times look like'],
  ['targets:\n  - { name: a, url: http://x }\n  - { name: a, url: http://y }', 'toolquake.yaml:3:13: Two targets are called "a".'],
  ['targets:\n  - { name: a, url: ftp://x }', 'For example: https://shop.example/mcp'],
  ['import: [none.json]', 'does not exist'],
  ['- a', 'must be a mapping'],
])('%j is refused: %s', async (text, message) => {
  expect(await refusal(text)).toContain(message);
});

test('a refused secret is not repeated in clear beyond its own place', async () => {
  // The value stands in the message because its author has to find it; nothing else may carry it on.
  expect(
    await refusal('targets:\n  - { name: a, url: http://x, auth: { type: bearer, token: ghp_0123456789abcdefghij0123456789abcdef } }'),
  ).not.toContain('ghp_0123456789');
});

test('the published schema is the one that the table defines (update it with: npx vitest run packages/toolquake/src/config/project.test.ts -u)', async () => {
  const file = fileURLToPath(new URL('../../schemas/toolquake.schema.json', import.meta.url));
  await expect(`${JSON.stringify(projectSchema(), null, 2)}\n`).toMatchFileSnapshot(file);
});

test('an editor with the schema accepts what we accept', () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(projectSchema());
  expect(validate(parse(WHOLE))).toBe(true);
  expect(validate({ targets: [{ name: 'a', ulr: 'x' }] })).toBe(false);
  expect(validate({ targets: [{ url: 'http://x' }] })).toBe(false);
  expect(validate({ targets: [{ name: 'a', url: 'http://x', auth: { type: 'bearer', token: 'clear' } }] })).toBe(false);
});
