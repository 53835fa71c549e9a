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
      if (message.id === undefined) response.writeHead(202).end();
      else (open[message.id] ??= []).push(response);
      const session = message.method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {};
      if (message.method === 'subscriptions/listen') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const news of tools.answersTo(message)) response.write(`event: message\ndata: ${JSON.stringify(news)}\n\n`);
        return;
      }
      const eventOf = (said) => `event: message\ndata: ${JSON.stringify(said)}\n\n`;
      const answers = tools.answersTo(message);
      // Notices go into the stream of the answer; a JSON body has no place for them.
      const notices = answers.filter(({ id }) => id === undefined).map(eventOf);
      for (const answer of answers.filter(({ id }) => id !== undefined)) {
        const [head, body] =
          as === 'json' ? ['application/json', JSON.stringify(answer)] : ['text/event-stream', notices.join('') + eventOf(answer)];
        open[answer.id]
          .shift()
          .writeHead(200, { 'content-type': head, ...session })
          .end(body);
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
