/** Servers on stdio that do something else than serve. The process itself is the server, so each runs until it ends. */
import { createInterface } from 'node:readline';
import { isObject, paramsOf } from '@toolquake/sdk/core';
import type { StdioAilments } from './ailment.js';
import { healthyResult } from './mcp-script.js';

/** Serves as a healthy server would, in both eras, until stdin ends. */
async function serve(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const message: unknown = JSON.parse(line);
    if (!isObject(message) || !('id' in message)) continue;
    const result = healthyResult(String(message['method']), paramsOf(message));
    const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...answer })}\n`);
  }
}

export const stdioAilments: StdioAilments = {
  stdio_exited: async () => {
    process.stderr.write('Error: DATABASE_URL is not set\n');
    process.exitCode = 17;
  },
  stdio_stdout_pollution: async () => {
    process.stdout.write('Server starting on stdio...\n');
    await serve();
  },
  stdio_no_response: async () => {
    for await (const _ of createInterface({ input: process.stdin })) {
      // Read, and never answered.
    }
  },
};
