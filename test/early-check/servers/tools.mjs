// What the scripted server says: one function for the stdio server, the HTTP server and the simulator.

const FOUND = { items: { type: 'array', items: { type: 'string' } }, total: { type: 'integer' } };
/** What a tool promises about its results; not all of them do. */
const PROMISES = { search: { outputSchema: { type: 'object', properties: FOUND, required: ['total'] } } };

const TOOLS = ['pay', 'read', 'search'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object' },
  ...PROMISES[name],
}));

/**
 * A server's mind. `answersTo` takes a message and returns what is said back; every call of `read` gives a new value.
 * A call with the argument `wait` is executed at once and answered when the client says `notifications/release`.
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
    if (method === 'tools/list') return { tools: TOOLS };
    if (method !== 'tools/call') return {};
    const structuredContent = results[params.name]();
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  };
  const kept = new Map();
  return {
    answersTo(message) {
      if (message.method === 'notifications/release') return [kept.get(message.params.requestId)];
      if (message.id === undefined || message.method === undefined) return [];
      const answer = { jsonrpc: '2.0', id: message.id, result: resultOf(message) };
      if (message.params?.arguments?.wait !== true) return [answer];
      kept.set(message.id, answer);
      return [];
    },
  };
}
