/**
 * The calibration workload: an MCP server on stdio whose only tool does the same piece of work every time. How long that
 * takes says how fast this machine is today, by the same road (process, pipe, JSON) that the measured server takes.
 */
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';

type Request = { readonly id?: number | string; readonly method?: string; readonly params?: { readonly protocolVersion?: string } };

/** About a millisecond on a machine of 2025: parsing, hashing and memory, as servers do. */
function work(): string {
  const rows = Array.from({ length: 400 }, (_, index) => ({ id: index, name: `row ${index}`, tags: ['a', 'b', 'c'], price: index * 1.1 }));
  let digest = '';
  for (let round = 0; round < 3; round++) {
    const copy: unknown = JSON.parse(JSON.stringify(rows));
    digest = createHash('sha256').update(JSON.stringify(copy)).update(digest).digest('hex');
  }
  return digest;
}

function resultOf({ method, params }: Request): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'toolquake-calibration', version: '1' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: [{ name: 'work', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: work() }] };
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  // Our own client is at the other end: what it writes is JSON.
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) return;
  const result = resultOf(request);
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
});
