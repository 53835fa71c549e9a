import { emit, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameBytes, frameFromBytes } from '../core/frame.js';
import { oneOf, text } from '../core/params.js';
import { joinBytes } from '../core/event-stream.js';

const ELSEWHERE = 'Over HTTP messages travel in bodies of their own: what a server prints is not among them.';

/** A print statement that was left in, or a library that greets: on stdio it lands among the messages. */
export const stdoutNoise = defineFault({
  type: 'stdout-noise',
  summary: 'Mixes something that a server printed with its messages.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  cannot: {
    http: ELSEWHERE,
    fetch: ELSEWHERE,
    'in-process': 'Messages are objects in process: what somebody prints is not among them.',
    'legacy-sse': ELSEWHERE,
  },
  params: {
    text: text({ default: 'DEBUG: request handled', about: 'What was printed.' }),
    where: oneOf(['line', 'glued'], {
      default: 'line',
      about: 'On a line of its own before the answer, or without a line end, so that the answer cannot be read.',
    }),
  },
  whyPointless: (params) =>
    params.where === 'glued' && params.text.trim() === '' ? 'its text is blank, which does no harm before an answer' : undefined,
  decide: (event, params, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const { direction, isOpaque } = event.frame;
    const noise = new TextEncoder().encode(params.text);
    if (params.where === 'line') return [emit(frameFromBytes(direction, noise), { everyMs: 0, count: 1 }), forward(event.frame)];
    if (isOpaque) return context.notDelivered('too large');
    return [forward(frameFromBytes(direction, joinBytes([noise, frameBytes(event.frame)])))];
  },
});
