import { expect, test } from 'vitest';
import { whyNotAllowed } from './guard.js';

test('allows injection only where somebody switched it on', () => {
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true' })).toBeUndefined();
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true', NODE_ENV: 'test', ENVIRONMENT: 'staging' })).toBeUndefined();
  for (const value of [undefined, '', 'TRUE', '1', 'yes', 'false'])
    expect(whyNotAllowed({ CHAOS_ENABLED: value })).toBe('CHAOS_ENABLED is not "true"');
});

test('refuses in production, however it is spelt and whatever else is set', () => {
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true', NODE_ENV: 'production' })).toBe('NODE_ENV is "production"');
  expect(whyNotAllowed({ CHAOS_ENABLED: 'true', ENVIRONMENT: ' Production ' })).toBe('ENVIRONMENT is " Production "');
});
