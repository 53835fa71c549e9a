// A small MCP server over HTTP without any SDK: what it does is visible from outside.
// Tools: echo {text, as, events, wait}, refund {} (counts executions), list. `as: "sse"` answers as an event stream,
// `wait: true` answers when `release()` is called.
import { createServer } from 'node:http';

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

/** Starts it on a free loopback port. */
export async function startBank() {
  const log = [];
  const waiting = [];
  const sessions = new Set();
  const aborted = [];
  let executions = 0;
  let nextSession = 1;
  let stream;

  const answerTo = ({ id, method, params }) => {
    const result = (value) => ({ jsonrpc: '2.0', id, result: value });
    if (method === 'initialize')
      return result({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'bank', version: '1.0.0' },
      });
    if (method === 'ping') return result({});
    if (method === 'tools/list') return result({ tools: ['echo', 'refund'].map((name) => ({ name, inputSchema: { type: 'object' } })) });
    if (method !== 'tools/call') return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    return result(text(params.name === 'refund' ? `refund ${++executions}` : params.arguments.text));
  };

  const send = (message, response, extra) => {
    const args = message.params?.arguments ?? {};
    const body = JSON.stringify(answerTo(message));
    if (args.as !== 'sse')
      return response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...extra }).end(body);
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache', ...extra });
    response.write('id: prime\ndata:\n\n');
    for (let event = 0; event < (args.events ?? 0); event++) {
      response.write(
        `event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":${event}}}\r\n\r\n`,
      );
    }
    response.end(`id: 7\nevent: message\ndata: ${body}\n\n`);
  };

  const post = (message, request, response) => {
    log.push(message);
    response.on('close', () => response.writableFinished || aborted.push(message.id));
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id))
      return response
        .writeHead(404, { 'Content-Type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
    if (message.params?.arguments?.wait === true) return void waiting.push(() => send(message, response, {}));
    const extra = {};
    if (message.method === 'initialize') {
      extra['Mcp-Session-Id'] = `session-${nextSession++}`;
      sessions.add(extra['Mcp-Session-Id']);
    }
    send(message, response, extra);
  };

  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') {
        stream = response;
        return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      }
      if (request.method === 'DELETE') {
        sessions.delete(request.headers['mcp-session-id']);
        return response.writeHead(200).end();
      }
      post(JSON.parse(Buffer.concat(parts).toString()), request, response);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    /** Every message posted, in order. */
    log,
    /** Ids of requests whose client hung up before the answer. */
    aborted,
    get executions() {
      return executions;
    },
    get waiting() {
      return waiting.length;
    },
    release: () => waiting.shift()(),
    notify: (message) => stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
