// What the scripted server says: one function for the stdio server, the HTTP server and the simulator.

const TOOLS = ['pay', 'read', 'search'].map((name) => ({ name, description: `The tool ${name}.`, inputSchema: { type: 'object' } }));
TOOLS[0].inputSchema = { type: 'object', properties: { note: { type: 'string' }, amount: { type: 'number' } }, required: ['amount'] };
const LIST_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/**
 * A server's mind. `answersTo` takes a message and returns what is said back; every call of `read` gives a new value.
 * A subscription is acknowledged and stays open.
 * A call with the argument `wait` is executed at once and answered when the client says `notifications/release`; one with
 * `announce` is answered behind a notice that the list of tools has changed.
 */
export function createTools() {
  let reads = 0;
  let receipts = 0;
  const results = {
    pay: () => ({ receipt: ++receipts, note: 'paid: 5 €' }),
    read: () => ({ value: ++reads }),
    search: () => ({ items: ['a', 'b', 'c', 'd', 'e', 'f'], total: 6 }),
  };
  const resultOf = ({ method, params }) => {
    if (method === 'initialize') {
      const capabilities = { tools: { listChanged: true } };
      return { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 'scripted', version: '1.0.0' } };
    }
    // Modern lists say how long they may be kept.
    if (method === 'tools/list')
      return params?._meta === undefined ? { tools: TOOLS } : { tools: TOOLS, ttlMs: 1000, cacheScope: 'private' };
    if (method !== 'tools/call') return {};
    const structuredContent = results[params.name]();
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  };
  const kept = new Map();
  return {
    answersTo(message) {
      if (message.method === 'notifications/release') return [kept.get(message.params.requestId)];
      if (message.id === undefined || message.method === undefined) return [];
      if (message.method === 'tools/call' && results[message.params.name] === undefined) {
        return [{ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: `Unknown tool: ${message.params.name}` } }];
      }
      if (message.method === 'subscriptions/listen') {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
        const { notifications } = message.params;
        return [{ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } }];
      }
      const answer = { jsonrpc: '2.0', id: message.id, result: resultOf(message) };
      if (message.params?.arguments?.announce === true) return [LIST_CHANGED, answer];
      if (message.params?.arguments?.wait !== true) return [answer];
      kept.set(message.id, answer);
      return [];
    },
  };
}
