import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleGreeting, exampleWelcome, faultContract } from '../testing/index.js';
import { versionOffer } from './version-offer.js';

faultContract(versionOffer, { example: { version: '2024-11-05' } });

test('a legacy server names another version, and the journal both', () => {
  const rig = createTestRig(versionOffer, { params: { version: '2024-11-05' } });
  rig.request(exampleGreeting());
  rig.answer(exampleAnswer(exampleWelcome()));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ ...exampleWelcome(), protocolVersion: '2024-11-05' })]);
  expect(rig.journal[0]).toMatchObject({ changes: [{ path: '/protocolVersion', clean: '2025-11-25', dirty: '2024-11-05' }] });
});

test('a modern server refuses, and lists what it supports', () => {
  const rig = createTestRig(versionOffer, { params: { version: '2027-06-30' }, era: 'modern' });
  rig.request(exampleGreeting({ era: 'modern' }));
  expect(rig.ends.log).toMatchObject([
    {
      what: 'reply',
      message: { id: 1, error: { code: -32022, data: { supported: ['2027-06-30'], requested: '2026-07-28' } } },
      http: { status: 400 },
    },
  ]);
});

test('offers nothing that the server offers itself', () => {
  const rig = createTestRig(versionOffer, { params: { version: '2025-11-25' } });
  rig.request(exampleGreeting());
  rig.answer(exampleAnswer(exampleWelcome()));
  expect(rig.outcomes).toEqual(['not-delivered: the server offers this version itself']);
});
