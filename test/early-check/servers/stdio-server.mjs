// A scripted MCP server on stdio. Whatever it saw goes to stderr, one line each, as `saw {json}`.
import { createInterface } from 'node:readline';
import { createTools } from './tools.mjs';

const tools = createTools();

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  process.stderr.write(`saw ${JSON.stringify(message)}\n`);
  for (const answer of tools.answersTo(message)) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
