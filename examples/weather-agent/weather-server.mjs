// The weather service: an MCP server over HTTP, with a token that it checks. Its books are the truth that the scenarios
// look at: what was asked of it, who subscribed, which messages went out.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

const schema = (properties) => fromJsonSchema({ type: 'object', properties, required: Object.keys(properties) });
const text = { type: 'string' };
const reply = (structuredContent) => ({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent });

const FORECASTS = {
  Oslo: { temperatureC: -3, sky: 'snow' },
  Rome: { temperatureC: 21, sky: 'sun' },
};

/** One server per request, as the modern era has it; the books stay. */
function build(books) {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  const tool = (name, inputs, outputs, handle) =>
    server.registerTool(name, { inputSchema: schema(inputs), outputSchema: schema(outputs) }, (given) => {
      books.calls[name] = (books.calls[name] ?? 0) + 1;
      return reply(handle(given));
    });
  const forecast = { city: text, temperatureC: { type: 'number' }, temperatureF: { type: 'number' }, sky: text };
  tool('get_forecast', { city: text }, forecast, ({ city }) => {
    const { temperatureC, sky } = FORECASTS[city] ?? { temperatureC: 9, sky: 'rain' };
    return { city, temperatureC, temperatureF: temperatureC * 1.8 + 32, sky };
  });
  tool('get_warnings', { city: text }, { warnings: { type: 'array' } }, ({ city }) => ({
    warnings: city === 'Oslo' ? ['ice on roads'] : [],
  }));
  // Knows its key: asking twice under the same one is asking once.
  tool('subscribe', { city: text, email: text, key: text }, { id: text }, ({ city, email, key }) => {
    if (!books.subscriptions.has(key)) books.subscriptions.set(key, { city, email });
    return { id: `subscription-${[...books.subscriptions.keys()].indexOf(key) + 1}` };
  });
  // Knows no key: asking twice is two messages. What was sent can be looked up.
  tool('send_message', { to: text, city: text, reference: text }, { id: text }, ({ to, city, reference }) => ({
    id: `message-${books.messages.push({ to, city, reference })}`,
  }));
  tool('find_message', { reference: text }, { ids: { type: 'array' } }, ({ reference }) => ({
    ids: books.messages.flatMap((message, index) => (message.reference === reference ? [`message-${index + 1}`] : [])),
  }));
  return server;
}

/** Starts it on a free port. `gate` is what stands before its own check of the token. */
export async function startWeatherServer({ gate }) {
  const books = { calls: {}, subscriptions: new Map(), messages: [], tokensIssued: 0 };
  const isGood = ({ authorization }) => authorization === `Bearer token-${books.tokensIssued}`;
  const mcp = toNodeHandler(createMcpHandler(() => build(books)));
  const server = createServer((request, response) =>
    gate(request, response, () =>
      isGood(request.headers) ? void mcp(request, response) : response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${server.address().port}/mcp`),
    books,
    /** The sign-in desk: the latest token is the good one. */
    issueToken: () => `token-${++books.tokensIssued}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
