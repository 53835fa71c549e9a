import { expect, test } from 'vitest';
import { guardedBecause } from './guard.js';

test.each([
  { NODE_ENV: 'production' },
  { ENVIRONMENT: 'PRODUCTION' },
  { NODE_ENV: ' Production ' },
  { NODE_ENV: 'test', ENVIRONMENT: 'production' },
])('production guards, whoever says it and however it is spelled: %o', (env) => {
  expect(guardedBecause(env)).toMatch(/^(NODE_ENV|ENVIRONMENT) says "production"$/i);
});

test.each([{}, { NODE_ENV: 'development' }, { ENVIRONMENT: 'pre-production' }, { CHAOS_ENABLED: 'false' }])(
  'anything else does not: %o',
  (env) => {
    expect(guardedBecause(env)).toBeUndefined();
  },
);
