import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FAILURE_REASONS, failureReasons } from '../core/failure-reason.js';
import { startableReasons } from '../sick-servers/catalogue.js';
import { failureReasonsPage } from './failure-reasons.js';

test('the page of failure reasons is the one that the table makes (update it with -u)', async () => {
  const file = fileURLToPath(new URL('../../../../docs/failure-reasons.md', import.meta.url));
  await expect(failureReasonsPage(new Set(startableReasons))).toMatchFileSnapshot(file);
});

test('every reason says in sentences what it means and what to do', () => {
  for (const name of failureReasons) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(FAILURE_REASONS[name].about, name).toMatch(/^[A-Z].*\.$/);
    expect(FAILURE_REASONS[name].act, name).toMatch(/^[A-Z].*[^.]\.$/);
  }
});
