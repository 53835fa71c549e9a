import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEntry } from '../core/run-entry.js';
import { openExperimentJournal, withoutSecrets } from './experiment-journal.js';

test('invariant 25: no secret reaches the file, the memory or a listener, however it is spelled', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'toolquake-journal-')), 'journal.jsonl');
  const heard: RunEntry[] = [];
  const secret = 'tok"en/ä\n123';
  const journal = openExperimentJournal(path, { secrets: [secret], onEntry: (entry) => heard.push(entry), tell: () => {} });
  journal.record({ kind: 'note', atMs: 1, text: `the server said: ${secret}` });
  journal.record({ kind: 'note', atMs: 2, text: `at http://x/?t=${encodeURIComponent(secret)}` });
  await journal.close();
  const written = readFileSync(path, 'utf8');
  expect(written.trim().split('\n')).toHaveLength(2);
  for (const text of [written, JSON.stringify(heard), JSON.stringify(journal.entries())]) {
    expect(text).not.toContain('tok');
    expect(text).toContain('[secret]');
  }
});

test('what holds no secret stays as it is', () => {
  fc.assert(fc.property(fc.string(), (text) => withoutSecrets(['a-long-secret-of-ours'])(text) === text || text.includes('a-long-secret')));
});

test('a lost disk is told, and the run may stop because of it', async () => {
  const journal = openExperimentJournal('/dev/full', { secrets: [], onEntry: () => {}, tell: () => {} });
  journal.record({ kind: 'note', atMs: 1, text: 'x' });
  await expect.poll(() => journal.failure()?.code).toBe('NOT_WRITABLE');
});
