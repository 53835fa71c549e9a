// What the scripted server says: one function for the stdio server, the HTTP server and the simulator.

const PAYMENT = { type: 'object', properties: { note: { type: 'string' }, amount: { type: 'number' } }, required: ['amount'] };
const FOUND = { items: { type: 'array', items: { type: 'string' } }, total: { type: 'integer' } };
/** What a tool wants, and promises about its results; not all of them say so. */
const SCHEMAS = {
  pay: { inputSchema: PAYMENT },
  search: { outputSchema: { type: 'object', properties: FOUND, required: ['total'] } },
};

const TOOLS = ['pay', 'read', 'search'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object' },
  ...SCHEMAS[name],
}));
const LIST_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** What a modern client is to bring back. */
const STATE = 'page=2';

const progressOf = (progressToken, progress, total) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress, total },
});

/**
 * A server's mind. `answersTo` takes a message and returns what is said back; every call of `read` gives a new value.
 * A subscription is acknowledged and stays open.
 * A call with the argument `wait` is executed at once and answered when the client says `notifications/release`; one with
 * `announce` is answered behind a notice that the list of tools has changed.
 * With `progress` it reports so many steps first, with `ask` it asks the client something and waits, and with `input`
 * it wants to be sent again with the state that it hands out (modern era).
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
    if (method === 'server/discover') return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    // Modern lists say how long they may be kept.
    if (method === 'tools/list')
      return params?._meta === undefined ? { tools: TOOLS } : { tools: TOOLS, ttlMs: 1000, cacheScope: 'private' };
    if (method === 'tasks/get') return { taskId: params.taskId, status: 'completed' };
    if (method !== 'tools/call') return {};
    if (params.arguments?.input === true && params.requestState === undefined) return { resultType: 'input_required', requestState: STATE };
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
      const { id, params } = message;
      const { wait, progress = 0, ask, announce } = params?.arguments ?? {};
      if ((params?.requestState ?? STATE) !== STATE) return [{ jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid state' } }];
      const answer = { jsonrpc: '2.0', id, result: resultOf(message) };
      const notices = Array.from({ length: progress }, (_, step) => progressOf(id, step + 1, progress));
      if (ask !== undefined) return [...notices, { jsonrpc: '2.0', id: `ask-${id}`, method: ask, params: {} }];
      if (announce === true) return [LIST_CHANGED, answer];
      if (wait !== true) return [...notices, answer];
      kept.set(id, answer);
      return notices;
    },
  };
}
