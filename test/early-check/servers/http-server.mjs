// A scripted MCP server on a loopback port, legacy era, answering as JSON or as an event stream.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createTools } from './tools.mjs';

/** Starts it; `saw` hears of every message that arrives. */
export async function startHttpServer({ as, saw }) {
  const tools = createTools();
  const open = {};
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        return;
      }
      const message = JSON.parse(Buffer.concat(parts).toString());
      const named = request.headers['mcp-name'];
      if (named !== undefined && named !== message.params.name) {
        response.writeHead(400).end();
        return;
      }
      saw(message);
      if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
      else (open[message.id] ??= []).push(response);
      const session = message.method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {};
      if (message.method === 'subscriptions/listen') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const news of tools.answersTo(message)) response.write(`event: message\ndata: ${JSON.stringify(news)}\n\n`);
        return;
      }
      for (const said of tools.answersTo(message)) {
        const isAnswer = said.method === undefined;
        const to = isAnswer ? open[said.id].shift() : open[message.id][0];
        // Whoever has more to say than an answer says it in a stream.
        const isStream = as === 'sse' || !isAnswer || to.headersSent;
        if (!to.headersSent) to.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json', ...session });
        const text = isStream ? `event: message\ndata: ${JSON.stringify(said)}\n\n` : JSON.stringify(said);
        if (isAnswer) to.end(text);
        else to.write(text);
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
