import { expect, test } from 'vitest';
import { startSession } from '../core/session.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { crash } from './crash.js';

faultContract(crash, { example: { downMs: 1000 } });

test('kills the server before it hears of the call', () => {
  const rig = createTestRig(crash, { params: { downMs: 1000 } });
  rig.request(exampleCall());
  expect(rig.ends.log).toMatchObject([{ what: 'crash', forMs: 1000 }]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'disconnected', faults: ['rule'] }]);
});

test('lets the server do the work first in phase post', () => {
  const rig = createTestRig(crash, { phase: 'post' });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.log.map(({ what }) => what)).toEqual(['message', 'crash']);
});

test('takes the calls of every session with it', () => {
  const rig = createTestRig(crash, { when: { tool: ['pay'] } });
  const other = startSession({ label: 'other', era: 'legacy' });
  rig.request(exampleCall({ id: 1, tool: 'read' }));
  rig.request(exampleCall({ id: 1, tool: 'read' }), { session: other });
  rig.request(exampleCall({ id: 2, tool: 'pay' }));
  const calls = rig.journal.flatMap((entry) => (entry.kind === 'call' ? [[entry.session, entry.tool, entry.outcome]] : []));
  expect(calls).toEqual([
    ['test', 'read', 'disconnected'],
    ['test', 'pay', 'disconnected'],
    ['other', 'read', 'disconnected'],
  ]);
});
