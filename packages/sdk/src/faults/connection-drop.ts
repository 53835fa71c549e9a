import { CUT_AFTER_MS, cutShort } from '../core/cut-short.js';
import { disconnect, forward, hold, type Effect } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameBytes, frameFromBytes, type Frame } from '../core/frame.js';
import { count, ms, oneOf } from '../core/params.js';

/** `pre`: the server never hears of the call. `post`: it did the work, and the connection breaks before the answer. */
export const connectionDrop = defineFault({
  type: 'connection-drop',
  summary: 'Breaks the connection of a call, at once, after a silence, or after some bytes.',
  carriers: ['mcp', 'bytes', 'command'],
  role: 'terminal',
  phases: ['pre', 'post'],
  params: {
    afterMs: ms({ default: 0, about: 'How long the caller hears nothing before the connection breaks.' }),
    afterBytes: count({
      default: 0,
      max: 1024 ** 4,
      unit: 'bytes',
      about: 'Bytes that still pass: of the message, or of the whole stream on tcp. Shorter ones are left alone.',
    }),
    how: oneOf(['reset', 'end'], { default: 'reset', about: 'How the connection breaks: it is reset, or it ends in good order.' }),
  },
  whyPointless: ({ afterMs, afterBytes }) =>
    afterMs > 0 && afterBytes > 0 ? 'a connection breaks after a time or after some bytes, not after both' : undefined,
  // Each byte stream is a session of its own.
  memory: () => ({ passedBytes: 0 }),
  decide: (event, { afterMs, afterBytes, how }, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    if (event.kind !== 'frame' || event.part !== part) return [];
    if (afterBytes > 0) {
      if (context.transport !== 'tcp') return cutShort(event.frame, { how, keep: () => afterBytes, context });
      const room = afterBytes - context.memory.passedBytes;
      context.memory.passedBytes += frameBytes(event.frame).length;
      return context.memory.passedBytes < afterBytes ? [] : [...split(event.frame, room), disconnect(how, 0, CUT_AFTER_MS)];
    }
    return afterMs === 0 ? [disconnect(how)] : [hold(event.frame, 'never'), disconnect(how, 0, afterMs)];
  },
});

/** So many bytes pass, the rest is held. */
function split(frame: Frame, bytes: number): readonly Effect[] {
  const { direction } = frame;
  const all = frameBytes(frame);
  return [
    forward(frameFromBytes(direction, all.subarray(0, Math.max(0, bytes)))),
    hold(frameFromBytes(direction, all.subarray(Math.max(0, bytes))), 'never'),
  ];
}
