import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { insufficientScope } from './insufficient-scope.js';

faultContract(insufficientScope, { example: { scope: 'files:read files:write' } });

test('answers 403 and asks for the scopes', () => {
  const rig = createTestRig(insufficientScope, { params: { scope: 'files:read files:write' }, transport: 'http' });
  rig.request(exampleCall());
  expect(rig.ends.messages('to-server')).toEqual([]);
  expect(rig.ends.log[0]).toMatchObject({ what: 'reply', http: { status: 403 } });
  expect(rig.ends.log[0]?.http?.headers?.['www-authenticate']).toBe(
    'Bearer error="insufficient_scope", error_description="The request requires higher privileges", scope="files:read files:write"',
  );
});

test.each([
  [{ scope: 'a\nb', resourceMetadata: '' }, 'its scope cannot stand in a header'],
  [{ scope: 'a', resourceMetadata: 'ü' }, 'its resourceMetadata cannot stand in a header'],
  [{ scope: 'a', resourceMetadata: '' }, undefined],
])('checks %j', (params, why) => {
  expect(insufficientScope.whyPointless?.(params as unknown as Readonly<Record<string, never>>)).toBe(why);
});
