import { defineCommand, EXIT, numberOf, textOf } from '../command.js';
import { ADMIN_PORT, RUN_DIRECTORY } from '../live-options.js';

/** The proxy in front of a server that speaks Streamable HTTP, or HTTP+SSE before it. */
export const proxyHttp = defineCommand({
  name: 'proxy http',
  summary: 'Stands between clients and MCP servers that speak HTTP, and injects the faults of a plan.',
  options: [
    {
      flag: '--upstream',
      kind: 'text',
      value: 'URL',
      about: 'The server. A URL that ends in "/" is a prefix of every path; all paths of the origin pass.',
    },
    {
      flag: '--mode',
      kind: 'text',
      value: 'MODE',
      about: 'Either reverse, in front of --upstream, or forward: clients name the server (HTTP_PROXY), and https passes unread.',
      default: 'reverse',
    },
    { flag: '--plan', kind: 'text', value: 'FILE', about: 'Fault plan (YAML or JSON). Without one, everything passes untouched.' },
    {
      flag: '--port',
      kind: 'integer',
      value: 'PORT',
      about: 'Port to listen on; 0 takes any free one.',
      default: 8900,
      min: 0,
      max: 65535,
    },
    { flag: '--host', kind: 'text', value: 'HOST', about: 'Address to listen on.', default: '127.0.0.1' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append every decision and call to this file (JSONL).' },
    RUN_DIRECTORY,
    { flag: '--seed', kind: 'integer', value: 'N', about: "Takes the place of the plan's seed.", min: 0, max: Number.MAX_SAFE_INTEGER },
    {
      flag: '--label-header',
      kind: 'text',
      value: 'NAME',
      about: 'Request header that names the session; default: the name the client gives.',
    },
    ADMIN_PORT,
    { flag: '--target', kind: 'text', value: 'NAME', about: 'Name of this server, for rules with "when: { target }".' },
    {
      flag: '--rewrite-host',
      kind: 'switch',
      about: "Send the server's own name in Host, which public servers insist on; default: as the client sent it.",
    },
    {
      flag: '--max-frame-bytes',
      kind: 'integer',
      value: 'BYTES',
      about: 'Longer messages are streamed on and never parsed.',
      default: 8 * 1024 * 1024,
      min: 1024,
      max: 256 * 1024 * 1024,
    },
    { flag: '--strict', kind: 'switch', about: 'Stop when Toolquake itself makes a mistake, instead of letting the traffic pass.' },
    { flag: '--json', kind: 'switch', about: 'Print where the proxy listens as one line of JSON on stdout.' },
  ],
  examples: [
    'toolquake proxy http --upstream http://127.0.0.1:3001/mcp --plan quake.yaml',
    'toolquake proxy http --upstream https://mcp.example.com/mcp --rewrite-host --port 0',
    'toolquake proxy http --mode forward --plan quake.yaml --port 8900',
  ],
  handle: async ({ options }, io) => {
    const { proxyHttp: runProxy } = await import('../../operations/proxy-http.js');
    const end = await runProxy({
      mode: textOf(options['mode']),
      upstream: textOf(options['upstream']),
      host: textOf(options['host']) ?? '127.0.0.1',
      port: numberOf(options['port']) ?? 8900,
      planPath: textOf(options['plan']),
      journalPath: textOf(options['journal']),
      runDirectory: textOf(options['runDir']),
      seed: numberOf(options['seed']),
      adminPort: numberOf(options['adminPort']),
      labelHeader: textOf(options['labelHeader']),
      target: textOf(options['target']),
      isStrict: options['strict'] === true,
      rewriteHost: options['rewriteHost'] === true,
      maxFrameBytes: numberOf(options['maxFrameBytes']),
      env: io.env,
      signal: io.signal,
      tell: (line) => void io.stderr.write(`toolquake: ${line}\n`),
      onListening: (listening) => {
        const role = listening.upstream === undefined ? 'a forward proxy' : `in front of ${listening.upstream}`;
        io.stderr.write(`toolquake: listening on ${listening.url}, ${role}\n`);
        if (options['json'] === true) io.stdout.write(`${JSON.stringify({ kind: 'listening', ...listening })}\n`);
      },
    });
    return end === 'failed' ? EXIT.failed : EXIT.interrupted;
  },
});
