/** Servers whose trouble is their age. */
import type { ServerResponse } from 'node:http';
import type { Ailments } from './ailment.js';
import { healthyResult, legacyScript, startScript, type Script } from './mcp-script.js';

/** HTTP+SSE of 2024: a stream by GET, messages by POST to the endpoint that it names. */
function oldTransport(): Script {
  let stream: ServerResponse | undefined;
  return ({ request, response, raw, message, method, params }) => {
    if (request.method === 'GET' && request.url === '/mcp') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      return true;
    }
    if (request.url !== '/messages') {
      raw(405, undefined, '');
      return true;
    }
    raw(202, undefined, 'Accepted');
    const result =
      method === 'initialize' ? { ...healthyResult(method, params), protocolVersion: '2024-11-05' } : healthyResult(method, params);
    if (result !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message['id'], result })}\n\n`);
    return true;
  };
}

/** Modern for its first client, legacy from then on. */
function changing(): Script {
  let lists = 0;
  const legacy = legacyScript();
  return (turn) => {
    if (turn.method === 'tools/list') lists++;
    return lists > 0 && turn.method !== 'tools/list' ? legacy(turn) : false;
  };
}

export const eraAilments: Ailments = {
  transport_deprecated: () => startScript(oldTransport()),
  era_changed: () => startScript(changing()),
};
