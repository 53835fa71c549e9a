/** The README shows real output: every block behind an `output:` comment is what the command prints today. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const bin = path.join(root, 'packages/toolquake/bin/toolquake.js');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/<!-- output: toolquake (.+?) -->\n```[a-z]*\n([\s\S]*?)```/g)].map(([, command, text]) => ({
  command: command ?? '',
  text: text ?? '',
}));

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

  test('names only commands that exist', () => {
    const help = execFileSync(process.execPath, [bin, '--help'], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
    for (const [, command] of readme.matchAll(/^\| `toolquake ([a-z]+)/gm)) expect(help).toContain(command);
  });
});

describe('documents', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'docs/architecture.md',
    'docs/creating-a-fault.md',
    'docs/dependencies.md',
    'docs/experiment-actions.md',
    'docs/experiment-reports.md',
    'docs/experiments.md',
    'docs/monitor-in-experiments.md',
    'docs/plans.md',
    'docs/process-managers.md',
    'docs/reports.md',
    'docs/resilience.md',
    'docs/simulator.md',
    'docs/testing.md',
    'docs/transports.md',
    'docs/undo.md',
    'bench/README.md',
  ];
  test.each(documents)('%s links only to files that exist', (document) => {
    const text = readFileSync(path.join(root, document), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? '');
    const missing = links.filter((link) => !existsSync(path.resolve(root, path.dirname(document), link)));
    expect(missing).toEqual([]);
  });
});
