import { expect, test } from 'vitest';
import { whyNotAllowed, productionWitness } from './guard.js';

test('allows injection only where somebody switched it on', () => {
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true' })).toBeUndefined();
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true', NODE_ENV: 'test', ENVIRONMENT: 'staging' })).toBeUndefined();
  for (const value of [undefined, '', 'TRUE', '1', 'yes', 'false'])
    expect(whyNotAllowed({ CHAOS_ENABLED: value })).toBe('CHAOS_ENABLED is not "true"');
});

test('refuses in production, however it is spelt and whatever else is set', () => {
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true', NODE_ENV: 'production' })).toBe('NODE_ENV says "production"');
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true', ENVIRONMENT: ' Production ' })).toBe('ENVIRONMENT says "Production"');
});

test.each([
  { NODE_ENV: 'production' },
  { ENVIRONMENT: 'PRODUCTION' },
  { NODE_ENV: ' Production ' },
  { NODE_ENV: 'test', ENVIRONMENT: 'production' },
])('production guards, whoever says it and however it is spelled: %o', (env) => {
  expect(productionWitness(env)).toMatch(/^(NODE_ENV|ENVIRONMENT) says "production"$/i);
});

test.each([{}, { NODE_ENV: 'development' }, { ENVIRONMENT: 'pre-production' }, { CHAOS_ENABLED: 'false' }])(
  'anything else does not: %o',
  (env) => {
    expect(productionWitness(env)).toBeUndefined();
  },
);
