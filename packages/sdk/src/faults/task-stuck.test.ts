import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleRequest, faultContract, type TestRig } from '../testing/index.js';
import { taskStuck } from './task-stuck.js';

faultContract(taskStuck, { example: { mode: 'stuck' } });
faultContract(taskStuck, { example: { mode: 'lost' } });

function askAfter(task: JsonObject, mode: string): TestRig {
  const rig = createTestRig(taskStuck, { params: { mode } });
  rig.request(exampleRequest('tasks/get', { taskId: 't-1' }));
  rig.answer(exampleAnswer(task));
  return rig;
}

const DONE = { taskId: 't-1', status: 'completed', pollInterval: 10, result: { content: [] } };

test('a task that is done is still at work, and has no result', () => {
  const rig = askAfter(DONE, 'stuck');
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ taskId: 't-1', status: 'working', pollInterval: 10 })]);
  expect(rig.journal[0]).toMatchObject({ changes: [{ path: '/status', clean: 'completed', dirty: 'working' }] });
});

test('a task that is lost is unknown', () => {
  expect(askAfter(DONE, 'lost').ends.messages('to-client')).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Task not found' } },
  ]);
});

test('what is at work anyway is left alone', () => {
  expect(askAfter({ ...DONE, status: 'working' }, 'stuck').outcomes).toEqual(['not-delivered: the task is still at work']);
});
