// A scripted MCP server over legacy HTTP+SSE: GET opens a stream that announces an endpoint, and answers come in that stream.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createTools } from './tools.mjs';

/** Starts it; `saw` hears of every message that arrives. */
export async function startLegacySseServer({ saw }) {
  const tools = createTools();
  const streams = new Map();
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const id = randomUUID();
      streams.set(id, response);
      response.on('close', () => streams.delete(id));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`);
      return;
    }
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const stream = streams.get(new URL(request.url, 'http://here').searchParams.get('sessionId'));
      if (stream === undefined) {
        response.writeHead(404).end('Session not found');
        return;
      }
      const message = JSON.parse(Buffer.concat(parts).toString());
      saw(message);
      response.writeHead(202).end('Accepted');
      for (const answer of tools.answersTo(message)) stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/sse`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
