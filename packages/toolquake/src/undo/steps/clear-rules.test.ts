import { expect, test } from 'vitest';
import { closedPort } from '../fixtures/closed-port.js';
import { clearRules } from './clear-rules.js';

const world = (env: Record<string, string> = { T: 's3cret' }) => ({ env, signal: AbortSignal.timeout(5000) });

test('where nobody listens any more, the rules are gone with the memory that they were in', async () => {
  const data = { adminUrl: `http://127.0.0.1:${await closedPort()}`, tokenVariable: 'T', rules: ['slow'] };
  await clearRules.undo(data, world());
  expect(await clearRules.verify(data, world())).toMatchObject({ is: 'gone' });
});

test('a run that had no proxy has injected nothing', async () => {
  const data = { adminUrl: null, rules: ['slow'] };
  await clearRules.undo(data, world());
  expect(await clearRules.verify(data, world())).toMatchObject({ is: 'gone' });
});

test('without the token nobody knows, so it is not undone', async () => {
  const data = { adminUrl: `http://127.0.0.1:${await closedPort()}`, tokenVariable: 'T', rules: ['slow'] };
  await expect(clearRules.undo(data, world({}))).rejects.toThrow(/no token/);
  expect(await clearRules.verify(data, world({}))).toMatchObject({ is: 'not-undone', why: /no token/ });
});

test.each([
  {},
  { adminUrl: 'http://example.org', tokenVariable: 'T', rules: ['a'] },
  { adminUrl: 'http://127.0.0.1:1', tokenVariable: 'T;rm -rf', rules: ['a'] },
  { adminUrl: 'http://127.0.0.1:1', tokenVariable: 'T', rules: [] },
  { adminUrl: 'http://127.0.0.1:1', tokenVariable: 'T', rules: [1] },
])('%j is no step, and nothing is sent', async (data) => {
  await expect(clearRules.undo(data as never, world())).rejects.toThrow();
});
