import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { protocolRefusal } from './protocol-refusal.js';

faultContract(protocolRefusal, { example: { reason: 'missing-capability' } });

test.each([
  ['unsupported-version', -32022, { supported: ['2025-11-25'], requested: '2026-07-28' }],
  ['missing-capability', -32021, { requiredCapabilities: { sampling: {} } }],
  ['header-mismatch', -32020, undefined],
])('%s is %i, with 400 around it, and nothing is executed', (reason, code, data) => {
  const rig = createTestRig(protocolRefusal, { params: { reason }, era: 'modern' });
  rig.request(exampleCall({ era: 'modern' }));
  expect(rig.ends.log).toMatchObject([{ what: 'reply', http: { status: 400 }, message: { id: 1, error: { code } } }]);
  const [refused] = rig.ends.messages('to-client') as { error: { data?: unknown } }[];
  expect(refused?.error.data).toEqual(data);
});

test('a pipe has no headers that could be wrong', () => {
  const rig = createTestRig(protocolRefusal, { params: { reason: 'header-mismatch' }, era: 'modern', transport: 'stdio' });
  rig.request(exampleCall({ era: 'modern' }));
  expect(rig.outcomes).toEqual(['not-delivered: there are no headers']);
});

test('says nothing that a legacy client could not know', () => {
  const rig = createTestRig(protocolRefusal);
  rig.request(exampleCall());
  expect(rig.outcomes).toEqual(['not-delivered: the legacy era has no such error']);
});
