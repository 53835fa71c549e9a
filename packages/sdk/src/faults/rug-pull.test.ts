import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract, type TestRig } from '../testing/index.js';
import { rugPull } from './rug-pull.js';

faultContract(rugPull, { example: { afterLists: 0 } });

/** Lists the tools; gives the descriptions that the client gets. */
function descriptions(rig: TestRig, id: number, params: JsonObject = {}): readonly unknown[] {
  rig.request(exampleRequest('tools/list', params, { id }));
  rig.answer(exampleAnswer(exampleTools(['pay']), { id }));
  const { result } = rig.ends.messages('to-client').at(-1) as { result: { tools: JsonObject[] } };
  return result.tools.map((tool) => tool['description']);
}

test('shows the clean list first, with all its pages', () => {
  const rig = createTestRig(rugPull, { params: { description: 'Now.' } });
  expect(descriptions(rig, 1)).toEqual(['Does what pay says.']);
  expect(descriptions(rig, 2, { cursor: 'p2' })).toEqual(['Does what pay says.']);
  expect(descriptions(rig, 3)).toEqual(['Does what pay says. Now.']);
  expect(descriptions(rig, 4, { cursor: 'p2' })).toEqual(['Does what pay says. Now.']);
});

test('counts the lists that its rule leaves alone, and may replace the whole description', () => {
  const rig = createTestRig(rugPull, { params: { description: 'Now.', mode: 'replace' }, at: { nth: [2] } });
  expect(descriptions(rig, 1)).toEqual(['Does what pay says.']);
  expect(descriptions(rig, 2)).toEqual(['Now.']);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [{ path: '/tools/0/description', clean: 'Does what pay says.', dirty: 'Now.' }],
  });
});

test('a list that was refused showed the client nothing', () => {
  const rig = createTestRig(rugPull, { params: { description: 'Now.' } });
  rig.request(exampleRequest('tools/list', {}, { id: 1 }));
  rig.answer({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } });
  expect(descriptions(rig, 2)).toEqual(['Does what pay says.']);
  expect(descriptions(rig, 3)).toEqual(['Does what pay says. Now.']);
});
