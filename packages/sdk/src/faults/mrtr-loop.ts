import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame, frameObject, type Frame } from '../core/frame.js';
import { paramsOf } from '../core/message.js';
import { count } from '../core/params.js';
import { editableMessage } from '../core/tool-result.js';

/** The state that we hand out: the client brings it back, so nothing has to be remembered here. */
const STATE = /^continue:(\d{1,6})$/;

/** How often a call was sent back already; undefined when it carries no state of ours. */
function roundOf(request: Frame | undefined): number | undefined {
  const state = request === undefined || request.isOpaque ? undefined : paramsOf(frameObject(request))['requestState'];
  const [, round] = (typeof state === 'string' ? STATE.exec(state) : null) ?? [];
  return round === undefined ? undefined : Number(round);
}

/** A tool that is never satisfied. A client without a bound of its own asks and pays for ever. */
export const mrtrLoop = defineFault({
  type: 'mrtr-loop',
  summary: 'Sends a call back for more input again and again before it is executed.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['tools/call', 'prompts/get', 'resources/read'],
  hasFixedMethods: true,
  eras: ['modern'],
  params: {
    rounds: count({ default: 20, min: 1, max: 100_000, unit: 'rounds', about: 'How often a call is sent back; then it is executed.' }),
  },
  memoryScope: 'session',
  memory: () => ({}),
  // A call that was sent back must meet us again: the server knows nothing of our state.
  lasts: (_memory, { request }) => roundOf(request) !== undefined,
  decide: (event, { rounds }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    if (event.exchange.session.era === 'legacy') return context.notDelivered('legacy servers ask with requests of their own');
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    const { requestState, inputResponses, ...params } = paramsOf(message);
    const round = roundOf(event.frame);
    if (round === undefined && (requestState ?? inputResponses) !== undefined) {
      return context.notDelivered('the server has asked for input itself');
    }
    if ((round ?? 0) >= rounds) return [forward(editFrame(event.frame, { ...message, params }))];
    const result = { resultType: 'input_required', requestState: `continue:${(round ?? 0) + 1}` };
    return [answer({ jsonrpc: '2.0', id: event.exchange.id, result })];
  },
});
