import { defineCommand, EXIT, numberOf, textOf } from '../command.js';
import { ADMIN_PORT, RUN_DIRECTORY } from '../live-options.js';

/** The proxy in front of what a server itself depends on. */
export const proxyTcp = defineCommand({
  name: 'proxy tcp',
  summary: 'Stands in front of anything that speaks TCP (Redis, PostgreSQL, ...), and injects the faults of a plan.',
  options: [
    { flag: '--upstream', kind: 'text', value: 'HOST:PORT', about: 'What connections are passed on to.', isRequired: true },
    { flag: '--plan', kind: 'text', value: 'FILE', about: 'Fault plan (YAML or JSON). Without one, everything passes untouched.' },
    {
      flag: '--port',
      kind: 'integer',
      value: 'PORT',
      about: 'Port to listen on; 0 takes any free one.',
      default: 8901,
      min: 0,
      max: 65535,
    },
    { flag: '--host', kind: 'text', value: 'HOST', about: 'Address to listen on.', default: '127.0.0.1' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append every decision to this file (JSONL).' },
    RUN_DIRECTORY,
    { flag: '--seed', kind: 'integer', value: 'N', about: "Takes the place of the plan's seed.", min: 0, max: Number.MAX_SAFE_INTEGER },
    ADMIN_PORT,
    { flag: '--target', kind: 'text', value: 'NAME', about: 'Name of this dependency, for rules with "when: { target }".' },
    { flag: '--strict', kind: 'switch', about: 'Stop when Toolquake itself makes a mistake, instead of letting the traffic pass.' },
    { flag: '--json', kind: 'switch', about: 'Print where the proxy listens as one line of JSON on stdout.' },
  ],
  examples: [
    'toolquake proxy tcp --upstream 127.0.0.1:6379 --plan quake.yaml',
    'toolquake proxy tcp --upstream 127.0.0.1:5432 --port 0 --admin-port 9902',
  ],
  handle: async ({ options }, io) => {
    const { proxyTcp: runProxy } = await import('../../operations/proxy-tcp.js');
    const end = await runProxy({
      upstream: String(options['upstream']),
      host: textOf(options['host']) ?? '127.0.0.1',
      port: numberOf(options['port']) ?? 8901,
      planPath: textOf(options['plan']),
      journalPath: textOf(options['journal']),
      runDirectory: textOf(options['runDir']),
      seed: numberOf(options['seed']),
      adminPort: numberOf(options['adminPort']),
      target: textOf(options['target']),
      isStrict: options['strict'] === true,
      env: io.env,
      signal: io.signal,
      tell: (line) => void io.stderr.write(`toolquake: ${line}\n`),
      onListening: (listening) => {
        io.stderr.write(`toolquake: listening on ${listening.address}, in front of ${listening.upstream}\n`);
        if (options['json'] === true) io.stdout.write(`${JSON.stringify({ kind: 'listening', ...listening })}\n`);
      },
    });
    return end === 'failed' ? EXIT.failed : EXIT.interrupted;
  },
});
