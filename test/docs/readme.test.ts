/** The README shows real output: every block behind an `output:` comment is what the command prints today. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBelow } from '../../scripts/folders.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const bin = path.join(root, 'packages/toolquake/bin/toolquake.js');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/<!-- output: toolquake (.+?) -->\n```[a-z]*\n([\s\S]*?)```/g)].map(([, command, text]) => ({
  command: command ?? '',
  text: text ?? '',
}));

/** What the examples of the README are about. */
const README_TARGETS = 'targets: [{ name: shop, url: "http://127.0.0.1:1/mcp", health: { url: "http://127.0.0.1:1/health" } }]\n';

describe('README', () => {
  test('has an output block in its first screen', () => {
    expect(blocks.length).toBeGreaterThan(0);
    expect(readme.indexOf('<!-- output:')).toBeLessThan(1200);
  });

  test.each(blocks)('shows what "toolquake $command" prints', ({ command, text }) => {
    const printed = execFileSync(process.execPath, [bin, ...command.split(' ')], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    expect(text).toBe(printed);
  });

  test.each([...readme.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text ?? ''))('shows a file that is good: %#', (text) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'toolquake-readme-'));
    writeFileSync(path.join(folder, 'toolquake.yaml'), README_TARGETS);
    writeFileSync(path.join(folder, 'file.yaml'), text);
    const command = text.includes('\nactions:') ? ['experiment', 'check'] : ['plan', 'check'];
    execFileSync(process.execPath, [bin, ...command, 'file.yaml'], { cwd: folder, stdio: 'pipe' });
  });

  test('names only commands that exist', () => {
    const help = execFileSync(process.execPath, [bin, '--help'], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
    for (const [, command] of readme.matchAll(/^\| `toolquake ([a-z]+)/gm)) expect(help).toContain(command);
  });
});

describe('documents', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'bench/README.md', ...filesBelow('docs').filter((file) => file.endsWith('.md'))];
  test.each(documents)('%s links only to files that exist', (document) => {
    const text = readFileSync(path.join(root, document), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? '');
    const missing = links.filter((link) => !existsSync(path.resolve(root, path.dirname(document), link)));
    expect(missing).toEqual([]);
  });
});
