/** Servers that speak HTTP well, and MCP badly. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { Ailments, SickServer } from './ailment.js';
import { healthyResult, legacyScript, startScript, TOOLS, type Script, type Turn } from './mcp-script.js';

/** Only one method is answered otherwise. */
const on =
  (method: string, answer: (turn: Turn) => void): Script =>
  (turn) => {
    if (turn.method !== method) return false;
    answer(turn);
    return true;
  };
const sick = (script: Script, settings?: SickServer['settings']): (() => Promise<SickServer>) => {
  return async () => ({ ...(await startScript(script)), settings });
};
const silent = (): void => {};
const openStream = ({ response }: Turn): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': still here\n\n');
};
const CANARY = { tool: 'echo', arguments: { text: 'hello' } };
const canary = (more: object = {}): SickServer['settings'] => ({ canaries: [{ ...CANARY, ...more }] });
const onCall = (answer: (turn: Turn) => void, more: object = {}): (() => Promise<SickServer>) =>
  sick(on('tools/call', answer), canary(more));
const tools = (list: readonly JsonObject[]): Script =>
  on('tools/list', (turn) => turn.result({ ...healthyResult('tools/list', {}), tools: list }));
const call =
  (result: JsonObject): ((turn: Turn) => void) =>
  (turn) =>
    turn.result({ resultType: 'complete', ...result });
const [echo] = TOOLS as readonly [JsonObject];

/** A stream whose events are all held back until the answer is there. */
function buffered({ message, params, response }: Turn): void {
  const meta = params['_meta'] as { readonly progressToken?: unknown } | undefined;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const progress = [1, 2, 3].map((step) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: meta?.progressToken, progress: step },
  }));
  const answer = { jsonrpc: '2.0', id: message['id'], result: healthyResult('tools/call', params) };
  setTimeout(() => response.end([...progress, answer].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')), BUFFERED_MS);
}
const BUFFERED_MS = 400;

/** Odd rounds list other tools than even ones. */
function alternating(): Script {
  let lists = 0;
  return on('tools/list', (turn) =>
    turn.result({ ...healthyResult('tools/list', {}), tools: [{ ...echo, description: `Build ${lists++ % 2}.` }] }),
  );
}

export const protocolAilments: Ailments = {
  discover_timeout: sick(on('server/discover', silent)),
  initialize_timeout: sick(legacyScript(on('initialize', silent))),
  tools_list_timeout: sick(on('tools/list', silent)),
  sse_no_final_response: sick(on('tools/list', openStream)),
  sse_broken: sick(
    on('tools/list', (turn) => {
      openStream(turn);
      turn.response.end();
    }),
  ),
  sse_buffered: onCall(buffered),
  session_lost: sick(legacyScript(on('tools/list', (turn) => turn.error(-32001, 'Session not found', 404)))),
  jsonrpc_parse_error: sick(on('server/discover', (turn) => turn.raw(200, 'application/json', '{"jsonrpc": "2.0", "id": 1, "result": {'))),
  jsonrpc_invalid: sick(on('server/discover', (turn) => turn.raw(200, 'application/json', '{"jsonrpc":"2.0","id":999,"result":{}}'))),
  answer_too_large: sick(on('tools/list', (turn) => turn.raw(200, 'application/json', '['.repeat(100_000)))),
  jsonrpc_error: sick(on('tools/list', (turn) => turn.error(-32000, 'The catalogue is not loaded'))),
  method_not_found: sick(on('tools/list', (turn) => turn.error(-32601, 'Method not found', 404))),
  invalid_params: sick(on('tools/list', (turn) => turn.error(-32602, 'Invalid params', 400))),
  internal_error: sick(on('tools/list', (turn) => turn.error(-32603, 'Internal error'))),
  header_mismatch: sick(on('tools/list', (turn) => turn.error(-32020, 'Header mismatch', 400))),
  missing_client_capability: sick(
    on('server/discover', (turn) => turn.error(-32021, 'Missing capability', 400, { requiredCapabilities: { elicitation: {} } })),
  ),
  protocol_version_mismatch: sick(
    on('server/discover', (turn) => turn.error(-32022, 'Unsupported version', 400, { supported: ['2031-01-01'], requested: '2026-07-28' })),
  ),
  result_schema_invalid: sick(
    on('server/discover', (turn) => turn.result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })),
  ),
  tools_empty: sick(tools([])),
  tools_missing: sick(() => false, { tools: ['echo', 'refund'] }),
  tools_duplicate: sick(tools([echo, echo])),
  tool_schema_invalid: sick(
    tools([{ ...echo, inputSchema: { type: 'object', properties: { text: { $ref: 'https://schemas.example/text.json' } } } }]),
  ),
  pagination_runaway: sick(on('tools/list', (turn) => turn.result({ ...healthyResult('tools/list', {}), nextCursor: 'again' }))),
  manifest_changed: sick(alternating()),
  manifest_unstable: sick(alternating()),
  canary_timeout: onCall(silent),
  canary_tool_error: onCall(call({ isError: true, content: [{ type: 'text', text: 'database is down' }] })),
  canary_empty_result: onCall(call({ content: [] })),
  canary_assertion_failed: onCall(call({ content: [{ type: 'text', text: 'something else' }] }), { expect: { contains: 'hello' } }),
  canary_output_schema_invalid: sick((turn) => {
    const outputSchema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
    if (tools([{ ...echo, outputSchema }])(turn)) return true;
    return on('tools/call', call({ content: [{ type: 'text', text: '{}' }], structuredContent: { total: 'many' } }))(turn);
  }, canary()),
  canary_stale: onCall(call({ content: [{ type: 'text', text: '{"at":"2020-01-01T00:00:00Z"}' }] }), {
    expect: { newest: { path: 'at', within: '5m' } },
  }),
  canary_input_required: onCall(call({ resultType: 'input_required', inputRequests: {} })),
  async health_check_failed() {
    const running = await startScript((turn) => {
      if (turn.request.url !== '/health') return false;
      turn.raw(503, 'application/json', '{"status":"error","reason":"database pool exhausted"}');
      return true;
    });
    return { ...running, settings: { health: { url: running.url.replace('/mcp', '/health') } } };
  },
  slow_hello: sick(later('server/discover'), { slow: { hello: '50ms' } }),
  slow_list: sick(later('tools/list'), { slow: { list: '50ms' } }),
  slow_call: sick(later('tools/call'), { ...canary(), slow: { call: '50ms' } }),
};

function later(method: string): Script {
  return on(method, (turn) => void setTimeout(() => turn.result(healthyResult(method, turn.params) ?? {}), SLOW_MS));
}
const SLOW_MS = 200;
