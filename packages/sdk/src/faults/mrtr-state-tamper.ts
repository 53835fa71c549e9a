import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { paramsOf } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { editableMessage } from '../core/tool-result.js';

/** States over this size are not remembered. */
const MAX_STATE_LENGTH = 16 * 1024;

/** One character changed, wherever the draw says. */
function corrupted(state: string, draw: number): string {
  const at = Math.floor(draw * state.length);
  return `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
}

/** The state of a call lives with the client, who may be anybody: a server that trusts it can be led astray. */
export const mrtrStateTamper = defineFault({
  type: 'mrtr-state-tamper',
  summary: 'Changes the state that a client brings back when it was asked for more input.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['tools/call', 'prompts/get', 'resources/read'],
  hasFixedMethods: true,
  eras: ['modern'],
  params: {
    how: oneOf(['corrupt', 'drop', 'replay'], {
      default: 'corrupt',
      about: 'What the server gets: the state with one character changed, none at all, or an earlier one of the same tool.',
    }),
  },
  memory: (): { state: string | undefined } => ({ state: undefined }),
  decide: (event, { how }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    const params = paramsOf(message);
    const { requestState: state, ...others } = params;
    if (typeof state !== 'string') return context.notDelivered('the request carries no state');
    if (how === 'drop') return [forward(editFrame(event.frame, { ...message, params: others }))];
    const { memory } = context;
    const earlier = memory.state;
    if (how === 'replay' && state.length <= MAX_STATE_LENGTH) memory.state = state;
    if (how === 'replay' && earlier === undefined) return context.notDelivered('there is no earlier state');
    const requestState = how === 'replay' ? earlier : corrupted(state, context.draw());
    if (requestState === state) return context.notDelivered('the earlier state is the same');
    return [forward(editFrame(event.frame, { ...message, params: { ...params, requestState } }))];
  },
});
