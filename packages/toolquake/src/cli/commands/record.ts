import { ToolquakeError } from '@toolquake/sdk/core';
import { defineCommand, EXIT, numberOf, textOf } from '../command.js';
import { listeningFace } from '../listening-face.js';
import { mirrorEnd } from '../mirror-end.js';

/** Listens to real traffic and writes it down, without its secrets. stdout carries protocol only. */
export const record = defineCommand({
  name: 'record',
  summary: 'Stands between MCP clients and a server, over stdio or HTTP, and records their conversation for "toolquake replay".',
  rest: { name: 'COMMAND', about: 'A stdio server: its command and arguments; no shell is involved.', isRequired: false },
  options: [
    { flag: '--out', kind: 'text', value: 'FILE', about: 'The recording (JSONL); a run is appended to what is there.', isRequired: true },
    { flag: '--upstream', kind: 'text', value: 'URL', about: 'An HTTP server, instead of a command; as for "proxy http".' },
    {
      flag: '--port',
      kind: 'integer',
      value: 'PORT',
      about: 'Port to listen on with --upstream (0: any free one); default: 8900.',
      min: 0,
      max: 65535,
    },
    { flag: '--host', kind: 'text', value: 'HOST', about: 'Address to listen on with --upstream; default: 127.0.0.1.' },
    { flag: '--rewrite-host', kind: 'switch', about: "Send the server's own name in Host, which public servers insist on." },
    { flag: '--json', kind: 'switch', about: 'With --upstream: print where the recorder listens as one line of JSON on stdout.' },
  ],
  examples: [
    'toolquake record --out everything.rec.jsonl -- npx -y @modelcontextprotocol/server-everything stdio',
    'toolquake record --out shop.rec.jsonl --upstream http://127.0.0.1:3001/mcp --port 8900',
  ],
  handle: async ({ options, rest }, io) => {
    const outPath = String(options['out']);
    const upstream = textOf(options['upstream']);
    const tell = (line: string): void => void io.stderr.write(`toolquake: ${line}\n`);
    if ((upstream === undefined) === (rest.length === 0))
      throw new ToolquakeError('BAD_ARGUMENT', {
        message: upstream === undefined ? 'There is nothing to record.' : '--upstream and a command are two servers.',
        advice: 'Give either "-- COMMAND ARGS..." (stdio) or "--upstream URL" (HTTP).',
      });
    if (upstream !== undefined) {
      const { recordHttp } = await import('../../operations/record-http.js');
      const { isComplete } = await recordHttp({
        outPath,
        upstream,
        host: textOf(options['host']) ?? '127.0.0.1',
        port: numberOf(options['port']) ?? 8900,
        rewriteHost: options['rewriteHost'] === true,
        signal: io.signal,
        tell,
        onListening: listeningFace(io, options['json'] === true, `recording ${upstream}`),
      });
      return isComplete ? EXIT.interrupted : EXIT.environment;
    }
    const ofHttp = ['port', 'host', 'rewriteHost', 'json'].find((name) => options[name] !== undefined && options[name] !== false);
    if (ofHttp !== undefined)
      throw new ToolquakeError('BAD_ARGUMENT', {
        message: `--${ofHttp.replace('rewriteHost', 'rewrite-host')} has no meaning for a stdio server.`,
        advice: 'Leave it out, or record an HTTP server with --upstream.',
      });
    const { recordStdio } = await import('../../operations/record-stdio.js');
    const { isComplete, ...end } = await recordStdio({
      outPath,
      command: rest,
      env: io.env,
      stdin: () => io.stdin,
      stdout: () => io.stdout,
      tell,
    });
    return end.code === 0 && !isComplete ? EXIT.environment : mirrorEnd(end, io);
  },
});
