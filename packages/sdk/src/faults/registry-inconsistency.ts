import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError } from '../core/message.js';

/** The list and the server behind it disagree: what is offered cannot be called. */
export const registryInconsistency = defineFault({
  type: 'registry-inconsistency',
  summary: 'Fails calls of tools that are still listed, as if the server did not know them.',
  carriers: ['mcp'],
  role: 'terminal',
  hasFixedMethods: true,
  params: {},
  decide: (event, _params, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    const { id, tool } = event.exchange;
    return tool === undefined ? context.notDelivered('the call names no tool') : [answer(rpcError(id, -32602, `Tool ${tool} not found`))];
  },
});
