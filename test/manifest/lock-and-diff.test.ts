/** `toolquake lock` and `toolquake diff`, as people run them, with real servers of both SDK generations and hostile ones. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '@toolquake/sdk/core';
import { startDualEra } from '../servers/http-dual-era.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const bin = path.join(root, 'packages/toolquake/bin/toolquake.js');
const servers = path.join(root, 'test/servers');
const EVERYTHING = [process.execPath, path.join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'];
const shop = (release: number): readonly string[] => [process.execPath, path.join(servers, 'changing-shop.mjs'), String(release)];
const hostile = (mode: string): readonly string[] => [process.execPath, path.join(servers, 'hostile-list.mjs'), mode];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'toolquake-manifest-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const file = (name: string): string => path.join(folder, name);

type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

function toolquake(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [bin, ...args],
      { env: { ...process.env, NO_COLOR: '1' }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

describe('toolquake lock', () => {
  test('writes the same bytes for the same server, and --check agrees', async () => {
    expect(await toolquake('lock', '--out', file('one.json'), '--', ...EVERYTHING)).toMatchObject({ code: 0 });
    expect(await toolquake('lock', '--out', file('two.json'), '--', ...EVERYTHING)).toMatchObject({ code: 0 });
    expect(readFileSync(file('two.json'), 'utf8')).toBe(readFileSync(file('one.json'), 'utf8'));
    expect(Object.keys((JSON.parse(readFileSync(file('one.json'), 'utf8')) as { tools: object }).tools)).toContain('get-sum');
    expect(await toolquake('lock', '--check', file('one.json'), '--', ...EVERYTHING)).toMatchObject({ code: 0 });
  });

  test('asks a server of both eras in both, over HTTP, too', async () => {
    const server = await startDualEra();
    stops.push(() => server.stop());
    const { code, stdout } = await toolquake('lock', server.url);
    expect(code).toBe(0);
    const lock = JSON.parse(stdout) as JsonObject;
    expect(lock).toMatchObject({
      eras: { legacy: { versions: ['2025-11-25'] }, modern: {} },
      transport: { kind: 'http' },
      server: { name: 'dual-era' },
    });
    // A port of this machine is an accident of the run.
    expect(stdout).not.toContain(server.url);
    writeFileSync(file('http.json'), stdout);
    expect(await toolquake('diff', file('http.json'), server.url)).toMatchObject({ code: 0 });
    const legacy = await toolquake('lock', server.url, '--era', 'legacy');
    expect(Object.keys((JSON.parse(legacy.stdout) as { eras: object }).eras)).toEqual(['legacy']);
  });

  test.each([
    ['empty', 'lists nothing'],
    ['twice', '"a" is listed twice among the tools'],
    ['unstable', 'listed different things when it was asked twice: tools "a"'],
    ['deep', 'levels deep'],
  ])('refuses a list that is %s, with the reason', async (mode, reason) => {
    const { code, stdout, stderr } = await toolquake('lock', '--era', 'legacy', '--', ...hostile(mode));
    expect(stderr).toContain(reason);
    expect([1, 3]).toContain(code);
    expect(stdout).toBe('');
  });

  test('holds ten thousand tools, and names that poison prototypes', async () => {
    for (const mode of ['many', 'proto']) {
      expect(await toolquake('lock', '--era', 'legacy', '--out', file(`${mode}.json`), '--', ...hostile(mode))).toMatchObject({ code: 0 });
      expect(await toolquake('diff', file(`${mode}.json`), file(`${mode}.json`))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('nothing changed'),
      });
    }
    const renamed = readFileSync(file('proto.json'), 'utf8');
    expect(JSON.parse(renamed)).toHaveProperty('toolOrder', ['__proto__']);
    expect((await toolquake('diff', file('many.json'), file('proto.json'), '--json')).code).toBe(1);
  });

  test('a server that cannot be reached is the fault of the world, with a name', async () => {
    const { code, stderr } = await toolquake('lock', 'http://127.0.0.1:9/mcp');
    expect(code).toBe(3);
    expect(stderr).toContain('connection_refused');
  });
});

describe('toolquake diff', () => {
  test('says what a new release breaks, in every format, and waivers let it pass', async () => {
    const [old, now, waivers] = [file('shop-1.json'), file('shop-2.json'), file('waivers.json')];
    await toolquake('lock', '--out', old, '--', ...shop(1));
    await toolquake('lock', '--out', now, '--', ...shop(2));
    const console = await toolquake('diff', old, '--', ...shop(2));
    expect(console.code).toBe(1);
    expect(console.stdout).toContain('tool.removed');
    expect(console.stdout).toContain('input.optional-to-required');
    const json = JSON.parse((await toolquake('diff', old, now, '--json')).stdout) as {
      findings: { id: string; pointer: string; isBlocking: boolean }[];
    };
    const blocking = json.findings.filter(({ isBlocking }) => isBlocking);
    expect(blocking.map(({ id }) => id).sort()).toEqual(['input.optional-to-required', 'tool.removed']);
    expect((await toolquake('diff', old, now, '--format', 'markdown')).stdout).toContain('<code>tool.removed</code>');
    expect((await toolquake('diff', old, now, '--format', 'junit')).stdout).toContain('failures="2"');
    const sarif = JSON.parse((await toolquake('diff', old, now, '--format', 'sarif')).stdout) as JsonObject;
    expectSarif(sarif);
    expect(JSON.stringify(sarif)).toContain('"ruleId":"tool.removed"');

    const accepted = blocking.map(({ id, pointer }) => ({ finding: id, at: pointer, reason: 'Announced.', until: '2999-12-31' }));
    writeFileSync(waivers, JSON.stringify({ version: 1, waivers: accepted }));
    expect(await toolquake('diff', old, now, '--waivers', waivers)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Waived until 2999-12-31'),
    });
    writeFileSync(waivers, JSON.stringify({ version: 1, waivers: accepted.map((one) => ({ ...one, until: '2020-01-01' })) }));
    expect(await toolquake('diff', old, now, '--waivers', waivers)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no longer counts'),
    });
    const check = await toolquake('lock', '--check', old, '--', ...shop(2));
    expect(check).toMatchObject({ code: 1, stderr: expect.stringContaining('is not what the server shows now') });
  });

  test.each([
    ['{"format":"toolquake-manifest",\n"version":1,\n"toolz":{}}', ':3: ', 'toolz'],
    ['{"format":"toolquake-manifest",\n"version" 1}', ':2 is no JSON', '":"'],
    ['[]', ':1: ', 'It is no manifest lock'],
  ])('refuses a lock that is broken, with file and line', async (text, place, problem) => {
    writeFileSync(file('broken.json'), text);
    const { code, stderr } = await toolquake('diff', file('broken.json'), file('broken.json'));
    expect(code).toBe(2);
    expect(stderr).toContain(`broken.json${place}`);
    expect(stderr).toContain(problem);
  });
});

/** The part of the SARIF 2.1.0 schema that readers rely on. */
function expectSarif(log: JsonObject): void {
  const text = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } };
  const result = {
    type: 'object',
    required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations', 'partialFingerprints'],
    properties: {
      level: { enum: ['error', 'warning', 'note', 'none'] },
      message: text,
      locations: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['physicalLocation'],
          properties: {
            physicalLocation: {
              type: 'object',
              required: ['artifactLocation', 'region'],
              properties: {
                region: { type: 'object', required: ['startLine'], properties: { startLine: { type: 'integer', minimum: 1 } } },
              },
            },
          },
        },
      },
    },
  };
  const driver = {
    type: 'object',
    required: ['name', 'version', 'rules'],
    properties: { rules: { type: 'array', items: { type: 'object', required: ['id', 'shortDescription'] } } },
  };
  const run = {
    type: 'object',
    required: ['tool', 'results'],
    properties: { tool: { properties: { driver } }, results: { type: 'array', minItems: 1, items: result } },
  };
  const validate = new Ajv2020({ strict: false }).compile({
    type: 'object',
    required: ['$schema', 'version', 'runs'],
    properties: { version: { const: '2.1.0' }, runs: { type: 'array', minItems: 1, items: run } },
  });
  expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
}
