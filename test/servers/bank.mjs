// A small MCP server over stdio without any SDK, in both eras: what it does is visible from outside.
// Tools: echo {text}, refund {} (counts executions), executions {}, big {bytes}, quit {code}, die {signal}, ask {} (asks
// the client for its roots, with an id that the client also uses), shout {} (invalid lines on stdout).
let executions = 0;
let rest = Buffer.alloc(0);
let asked;

/** Answers to the batch at hand, which go out as one array. */
let gathered;
const say = (message) => (gathered === undefined ? process.stdout.write(`${JSON.stringify(message)}\n`) : gathered.push(message));
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

const tools = {
  echo: ({ text: said }) => text(said),
  refund: () => text(`refund ${++executions}`),
  executions: () => text(executions),
  big: ({ bytes }) => text('x'.repeat(bytes)),
  quit: ({ code }) => process.exit(code),
  die: ({ signal }) => process.kill(process.pid, signal),
  shout: () => {
    process.stdout.write(Buffer.concat([Buffer.from('\n\r\nnot json\n'), Buffer.from([0xff, 0xfe, 0x0a])]));
    return text('shouted');
  },
};

function answer({ id, method, params }) {
  const result = (value) => say({ jsonrpc: '2.0', id, result: value });
  switch (method) {
    case 'initialize':
      return result({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'bank', version: '1.0.0' },
      });
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) });
    case 'tools/call':
      if (params.name === 'ask') {
        asked = id;
        return say({ jsonrpc: '2.0', id, method: 'roots/list' });
      }
      return result(tools[params.name](params.arguments ?? {}));
    default:
      return say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }
}

function hear(message) {
  if (Array.isArray(message)) {
    gathered = [];
    message.forEach(hear);
    const answers = gathered;
    gathered = undefined;
    if (answers.length > 0) say(answers);
  } else if (message.method !== undefined && message.id !== undefined) answer(message);
  else if (message.method === 'notifications/cancelled') process.stderr.write(`cancelled ${message.params.requestId}\n`);
  else if (message.id === asked && message.result !== undefined)
    say({ jsonrpc: '2.0', id: asked, result: text(JSON.stringify(message.result)) });
}

process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (let newline; (newline = rest.indexOf(0x0a)) !== -1; rest = rest.subarray(newline + 1)) {
    const line = rest.subarray(0, newline).toString();
    if (line.trim() !== '') hear(JSON.parse(line));
  }
});
process.stdin.on('end', () => process.exit(0));
