// Follows docs/creating-a-fault.md: writes its files into a copy of the source, compiles them and runs their tests.
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/creating-a-fault.md'), 'utf8');

/** The files of the page, by path: a block whose first line is a comment with a path. */
const files = [...page.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)].map(([, path, code]) => ({ path: path!, code: code! }));
const isIndex = (path: string): boolean => path.endsWith('/index.ts');

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'creating-a-fault-'));
  for (const folder of ['core', 'faults', 'controller', 'interceptors', 'assertions', 'testing']) {
    const source = join('packages/sdk/src', folder);
    cpSync(join(root, source), join(copy, source), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  for (const { path, code } of files) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    if (isIndex(path)) appendFileSync(join(copy, path), code);
    else writeFileSync(join(copy, path), code);
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Runs a tool of the workspace in the copy; the output is the message when it fails. */
async function run(tool: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'node_modules', tool), ...args], { cwd: copy }).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${tool} failed:\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}

describe('docs/creating-a-fault.md', () => {
  test('goes from the do-nothing fault upward, and shows that one as it is', () => {
    const [first, ...rest] = files;
    expect(first).toEqual({ path: 'packages/sdk/src/faults/do-nothing.ts', code: readFileSync(join(root, first!.path), 'utf8') });
    expect(rest.filter(({ path }) => path.endsWith('.test.ts')).length).toBeGreaterThanOrEqual(3);
  });

  test('makes up new faults only, each in a file named after its type', () => {
    const made = files.slice(1).filter(({ path }) => !path.endsWith('.test.ts') && !isIndex(path));
    for (const { path, code } of made) {
      expect(existsSync(join(root, path)), `${path} is not taken`).toBe(false);
      expect(code).toContain(`type: '${/([a-z-]+)\.ts$/.exec(path)?.[1]}'`);
    }
  });

  test('compiles under the rules of the sdk', async () => {
    const config = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: {
        noEmit: true,
        composite: false,
        declaration: false,
        lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
        types: [],
      },
      files: files.map(({ path }) => path),
    };
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config));
    await run('typescript/bin/tsc', '-p', 'tsconfig.json');
  });

  test('makes faults that keep the contract and their own promises', async () => {
    const report = JSON.parse(await run('vitest/vitest.mjs', 'run', '--root', copy, '--reporter=json')) as Record<string, unknown>;
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report['numPassedTests']).toBeGreaterThan(30);
    expect(report['testResults']).toHaveLength(files.filter(({ path }) => path.endsWith('.test.ts')).length);
  });
});
