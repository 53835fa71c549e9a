import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { rpcError, without, withResult } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { editableMessage, editableResult } from '../core/tool-result.js';

/** Work that was started and is then asked after: it never ends, or nobody has heard of it. */
export const taskStuck = defineFault({
  type: 'task-stuck',
  summary: 'Says of a task that it is still at work, or that there is no such task.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['tasks/get'],
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    mode: oneOf(['stuck', 'lost'], { default: 'stuck', about: 'What the server says: still working, or an unknown task.' }),
  },
  decide: (event, { mode }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer' || event.exchange.id === undefined) return [];
    if (mode === 'lost') {
      const message = editableMessage(event.frame);
      if (typeof message === 'string') return context.notDelivered(message);
      return [forward(editFrame(event.frame, rpcError(event.exchange.id, -32602, 'Task not found')))];
    }
    const answer = editableResult(event.frame);
    if (typeof answer === 'string') return context.notDelivered(answer);
    const task = without(answer.result, 'result', 'error', 'inputRequests', 'statusMessage');
    if (typeof task['status'] !== 'string') return context.notDelivered('the answer says nothing about a task');
    if (task['status'] === 'working') return context.notDelivered('the task is still at work');
    context.changed('/status', task['status'], 'working');
    return [forward(editFrame(event.frame, withResult(answer.message, { ...task, status: 'working' })))];
  },
});
