import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleGreeting, exampleWelcome, faultContract, type TestRig } from '../testing/index.js';
import { capabilityLie } from './capability-lie.js';

faultContract(capabilityLie, { example: { mode: 'advertise', capability: 'resources' } });

function welcomeWith(params: { mode?: string; capability?: string }, era: 'legacy' | 'modern' = 'legacy'): TestRig {
  const rig = createTestRig(capabilityLie, { params, era });
  rig.request(exampleGreeting({ era }));
  rig.answer(exampleAnswer(exampleWelcome(era), { era }));
  return rig;
}

test.each([
  [{ mode: 'hide', capability: 'tools' }, {}, { path: '/capabilities/tools', clean: 'object of 1' }],
  [
    { mode: 'advertise', capability: 'resources' },
    { tools: { listChanged: true }, resources: {} },
    { path: '/capabilities/resources', dirty: 'object of 0' },
  ],
  [{ mode: 'hide', capability: 'tools.listChanged' }, { tools: {} }, { path: '/capabilities/tools/listChanged', clean: true }],
  [
    { mode: 'advertise', capability: 'resources.subscribe' },
    { tools: { listChanged: true }, resources: { subscribe: true } },
    { path: '/capabilities/resources/subscribe', dirty: true },
  ],
])('%j', (params, capabilities, change) => {
  for (const era of ['legacy', 'modern'] as const) {
    const rig = welcomeWith(params, era);
    expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ ...exampleWelcome(era), capabilities }, { era })]);
    expect(rig.journal[0]).toMatchObject({ state: 'delivered', changes: [change] });
  }
});

test('the truth is no lie', () => {
  expect(welcomeWith({ mode: 'advertise', capability: 'tools' }).outcomes).toEqual(['not-delivered: the server has tools itself']);
  expect(welcomeWith({ mode: 'hide', capability: 'prompts' }).outcomes).toEqual(['not-delivered: the server announces no prompts itself']);
});

test.each(['', 'a.b.c', 'tools.', '__proto__.x'])('survives the name %j', (capability) => {
  const why = capabilityLie.whyPointless?.({ mode: 'hide', capability } as never);
  expect(why === undefined).toBe(capability === '__proto__.x');
  expect(welcomeWith({ mode: 'advertise', capability }).ends.messages('to-client')).toHaveLength(1);
});
