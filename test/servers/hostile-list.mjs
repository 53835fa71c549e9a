// A server of the older era, by hand, whose list of tools is what no SDK would send (first argument).
import { createInterface } from 'node:readline';

const [mode] = process.argv.slice(2);
let asked = 0;

const nested = (levels) => {
  let schema = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
};
const tool = (name, inputSchema = { type: 'object' }) => ({ name, description: `Does ${name}.`, inputSchema });
const lists = {
  empty: () => [],
  twice: () => [tool('a'), tool('a')],
  unstable: () => [tool('a', { type: 'object', description: `asked ${++asked} times` })],
  deep: () => [tool('a', nested(60))],
  many: () =>
    Array.from({ length: 10_000 }, (_, index) => tool(`tool-${index}`, { type: 'object', properties: { a: { type: 'string' } } })),
  proto: () => [tool('__proto__', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'))],
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (rest) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`);
  if (method === 'initialize') {
    const serverInfo = { name: 'hostile', version: '1.0.0' };
    return answer({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === 'tools/list') return answer({ result: { tools: lists[mode]() } });
  answer({ error: { code: -32601, message: 'Method not found' } });
});
