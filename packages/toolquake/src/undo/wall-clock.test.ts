import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('invariant 4: nothing here asks the wall clock for anything but a text for people', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(15);
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('new Date().toISOString()', '');
    expect([file, /\bDate\b/.test(text)]).toEqual([file, false]);
  }
});
