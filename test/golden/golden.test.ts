/** `toolquake golden`, as people run it: recorded three times, verified, broken by a release, approved. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { VerifyReport } from '../../packages/toolquake/src/gates/golden/verify-report.js';
import { createDesk, type Desk } from '../cli/harness.js';

const root = path.resolve(import.meta.dirname, '../..');
const EVERYTHING = [process.execPath, path.join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'];
const shop = (release: number): readonly string[] => [process.execPath, path.join(root, 'test/servers/golden-shop.mjs'), String(release)];
const TOKEN = 'correct-horse-battery-7';
const env = { SHOP_TOKEN: TOKEN };
const SEARCH = 'search {"q":"shoes"}';

const record = (desk: Desk, ...args: readonly string[]) => desk.run(['golden', 'record', ...args, '--', ...shop(1)], env);
const textIn = (desk: Desk, name: string): string => readFileSync(path.join(desk.folder, name), 'utf8');

describe('golden record', () => {
  test('finds what changes by calling three times, and keeps no secret', async () => {
    const desk = createDesk();
    expect(await record(desk, '--call', SEARCH, '--call', 'secretive', '--owner', 'team-search', '--out', 'shop.yaml')).toMatchObject({
      code: 0,
    });
    const text = textIn(desk, 'shop.yaml');
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(Buffer.from(TOKEN).toString('base64').replace(/=+$/, ''));
    for (const place of ['requestId', 'at', 'items[*].score', 'items[*].token', 'note']) expect(text).toContain(`- ${place}`);
    expect(text).toMatch(/exact:\s+total: 2/);
    expect(text).toMatch(/times:\s+at:\s+past: 5m/);
    expect(text).toMatch(/types:\s+requestId: text/);
    expect(await desk.run(['golden', 'verify', 'shop.yaml', '--', ...shop(1)], env)).toMatchObject({ code: 0 });
  });

  test('refuses answers without anything stable, tools that may write, and errors; and writes nothing then', async () => {
    const desk = createDesk();
    const dice = await record(desk, '--call', 'dice', '--out', 'a.yaml');
    expect(dice).toMatchObject({ code: 2 });
    expect(dice.stderr).toContain('nothing in the answer stays the same');
    const buy = await record(desk, '--call', 'buy', '--out', 'a.yaml');
    expect(buy).toMatchObject({ code: 2 });
    expect(buy.stderr).toContain('--allow-writes');
    const failing = await record(desk, '--call', 'search {"q":"nothing"}', '--out', 'a.yaml');
    expect(failing).toMatchObject({ code: 2 });
    expect(failing.stderr).toContain('--expect-error');
    const secret = await record(desk, '--call', `search {"q":"${TOKEN}"}`, '--out', 'a.yaml');
    expect(secret).toMatchObject({ code: 2 });
    expect(secret.stderr).not.toContain(TOKEN);
    expect(desk.files()).toEqual([]);
    expect(await record(desk, '--call', 'buy', '--allow-writes', '--out', 'a.yaml')).toMatchObject({ code: 0 });
    expect(textIn(desk, 'a.yaml')).toContain('mayWrite: true');
    expect(await record(desk, '--call', 'search {"q":"nothing"}', '--expect-error', '--append', '--out', 'a.yaml')).toMatchObject({
      code: 0,
    });
    expect(textIn(desk, 'a.yaml')).toContain('contains: no such thing');
  });

  test('records a tool, a prompt and a resource of a server of the first SDK', async () => {
    const desk = createDesk();
    const calls = [
      '--call',
      'echo {"message":"hi"}',
      '--prompt',
      'simple-prompt',
      '--resource',
      'demo://resource/static/document/features.md',
      '--allow-writes',
    ];
    expect(await desk.run(['golden', 'record', ...calls, '--out', 'all.yaml', '--', ...EVERYTHING])).toMatchObject({ code: 0 });
    const verified = await desk.run(['golden', 'verify', 'all.yaml', '--json', '--', ...EVERYTHING]);
    expect(verified.code).toBe(0);
    expect((JSON.parse(verified.stdout) as VerifyReport).fixtures.map(({ asks, outcome }) => [asks, outcome])).toEqual([
      ['tool', 'passed'],
      ['prompt', 'passed'],
      ['resource', 'passed'],
    ]);
  });
});

describe('golden verify and update', () => {
  test('a release that changes an answer fails, its difference is shown, and written only when somebody agrees', async () => {
    const desk = createDesk();
    await record(desk, '--call', SEARCH, '--out', 'shop.yaml');
    writeFileSync(path.join(desk.folder, 'shop.yaml'), `# ours\n${textIn(desk, 'shop.yaml')}`);
    const broken = await desk.run(['golden', 'verify', 'shop.yaml', '--', ...shop(2)], env);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('items[0].price is 12, 10 expected');
    const junit = await desk.run(['golden', 'verify', 'shop.yaml', '--format', 'junit', '--out', 'golden.xml', '--', ...shop(2)], env);
    expect(junit.code).toBe(1);
    expect(textIn(desk, 'golden.xml')).toContain('<failure message="items[0].price is 12');
    const before = textIn(desk, 'shop.yaml');
    const asked = await desk.run(['golden', 'update', 'shop.yaml', '--', ...shop(2)], env);
    expect(asked.code).toBe(1);
    expect(asked.stdout).toMatch(/- .*price: 10/);
    expect(asked.stdout).toMatch(/\+ .*price: 12/);
    expect(textIn(desk, 'shop.yaml')).toBe(before);
    expect(await desk.run(['golden', 'update', 'shop.yaml', '--yes', '--', ...shop(2)], env)).toMatchObject({ code: 0 });
    expect(textIn(desk, 'shop.yaml')).toContain('# ours');
    expect(await desk.run(['golden', 'verify', 'shop.yaml', '--', ...shop(2)], env)).toMatchObject({ code: 0 });
    expect(await desk.run(['golden', 'update', 'shop.yaml', '--', ...shop(2)], env)).toMatchObject({ code: 0 });
  });

  test('what people expect is not ours to change', async () => {
    const desk = createDesk({
      'own.yaml': 'fixtures:\n  - tool: search\n    arguments: { q: shoes }\n    expect: { range: { "items[*].price": { max: 11 } } }\n',
    });
    expect(await desk.run(['golden', 'verify', 'own.yaml', '--', ...shop(1)], env)).toMatchObject({ code: 0 });
    const update = await desk.run(['golden', 'update', 'own.yaml', '--yes', '--', ...shop(2)], env);
    expect(update.code).toBe(1);
    expect(update.stdout).toContain('not ours to change');
  });

  test('the list format of older articles is read', async () => {
    const seed = [
      {
        tool: 'search',
        input: { q: 'shoes' },
        expectations: { type: 'object', total: { min: 1 }, items: { type: 'array', minLength: 1 }, items_0_price: { min: 10, max: 10 } },
      },
    ];
    const desk = createDesk({ 'seed.json': JSON.stringify(seed) });
    expect(await desk.run(['golden', 'verify', 'seed.json', '--', ...shop(1)], env)).toMatchObject({ code: 0 });
    expect(await desk.run(['golden', 'verify', 'seed.json', '--', ...shop(2)], env)).toMatchObject({ code: 1 });
  });

  test('one file serves canaries, too', async () => {
    const settings = `targets:\n  - name: shop\n    command: ${JSON.stringify(shop(2))}\n    canaries:\n      - fixture: ./golden.yaml\n`;
    const desk = createDesk({ 'toolquake.yaml': settings });
    await record(desk, '--call', SEARCH, '--out', 'golden.yaml');
    const probe = await desk.run(['probe', 'shop', '--json'], env);
    expect(probe.code).toBe(1);
    expect(JSON.parse(probe.stdout)).toMatchObject({
      failure_reason: 'canary_assertion_failed',
      detail: expect.stringContaining('price is 12') as string,
    });
    expect(await desk.run(['golden', 'verify', 'golden.yaml', 'shop'], env)).toMatchObject({ code: 1 });
  });

  test('bad files, unreachable servers and answers that nobody can judge have exit codes of their own', async () => {
    const undecided = { type: 'object', $ref: '#/$defs/a', $defs: { a: { unevaluatedProperties: false, properties: { total: {} } } } };
    const desk = createDesk({
      'word.yaml': 'fixtures:\n  - tool: search\n    expect:\n      contians: [x]\n',
      'weak.yaml': 'fixtures:\n  - tool: search\n    expect: { types: { total: number } }\n',
      'good.yaml': 'fixtures:\n  - tool: search\n    arguments: { q: a }\n    expect: { data: { total: 2 } }\n',
      'open.yaml': JSON.stringify({
        fixtures: [{ tool: 'search', arguments: { q: 'a' }, expect: { data: { total: 2 }, schema: undecided } }],
      }),
    });
    const word = await desk.run(['golden', 'verify', 'word.yaml', '--', ...shop(1)]);
    expect(word).toMatchObject({ code: 2 });
    expect(word.stderr).toMatch(/word\.yaml:4:7: .*contians[^]*contains/);
    const weak = await desk.run(['golden', 'verify', 'weak.yaml', '--', ...shop(1)]);
    expect(weak).toMatchObject({ code: 2 });
    expect(weak.stderr).toContain('no stable assertion');
    expect(await desk.run(['golden', 'verify', 'good.yaml', '--', process.execPath, '-e', 'process.exit(1)'])).toMatchObject({ code: 3 });
    expect(await desk.run(['golden', 'verify', 'open.yaml', '--', ...shop(1)], env)).toMatchObject({ code: 5 });
  });
});
