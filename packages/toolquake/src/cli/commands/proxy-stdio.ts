import { constants } from 'node:os';
import { defineCommand, numberOf, textOf, type CommandIo } from '../command.js';

/** Signals that end a process cleanly: the caller should see the very same end, not a translation. */
const MIRRORED_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'];

/** The proxy between a client and a server that talk over stdin and stdout. stdout carries protocol only. */
export const proxyStdio = defineCommand({
  name: 'proxy stdio',
  summary: 'Stands between an MCP client and a stdio server, and injects the faults of a plan.',
  rest: { name: 'COMMAND', about: 'The server command and its arguments; no shell is involved.', isRequired: true },
  options: [
    { flag: '--plan', kind: 'text', value: 'FILE', about: 'Fault plan (YAML or JSON). Without one, everything passes untouched.' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append every decision and call to this file (JSONL).' },
    { flag: '--seed', kind: 'integer', value: 'N', about: "Takes the place of the plan's seed.", min: 0, max: Number.MAX_SAFE_INTEGER },
    { flag: '--label', kind: 'text', value: 'TEXT', about: 'Session label that draws depend on; default: the name the client gives.' },
    {
      flag: '--admin-port',
      kind: 'integer',
      value: 'PORT',
      about: 'Open the admin routes on this loopback port (0: any free one); the token is in TOOLQUAKE_ADMIN_TOKEN.',
      min: 0,
      max: 65535,
    },
    { flag: '--target', kind: 'text', value: 'NAME', about: 'Name of this server, for rules with "when: { target }".' },
    {
      flag: '--max-frame-bytes',
      kind: 'integer',
      value: 'BYTES',
      about: 'Longer lines are streamed on and never parsed.',
      default: 8 * 1024 * 1024,
      min: 1024,
      max: 256 * 1024 * 1024,
    },
    {
      flag: '--strict',
      kind: 'switch',
      about: 'End the session when Toolquake itself makes a mistake, instead of letting the traffic pass.',
    },
  ],
  examples: [
    'toolquake proxy stdio -- npx -y @modelcontextprotocol/server-everything stdio',
    'toolquake proxy stdio --plan quake.yaml --journal run.jsonl -- node server.js',
  ],
  handle: async ({ options, rest }, io) => {
    const { proxyStdio: runProxy } = await import('../../operations/proxy-stdio.js');
    const end = await runProxy({
      command: rest,
      planPath: textOf(options['plan']),
      journalPath: textOf(options['journal']),
      seed: numberOf(options['seed']),
      adminPort: numberOf(options['adminPort']),
      label: textOf(options['label']),
      target: textOf(options['target']),
      isStrict: options['strict'] === true,
      maxFrameBytes: numberOf(options['maxFrameBytes']),
      env: io.env,
      stdin: () => io.stdin,
      stdout: () => io.stdout,
      tell: (line) => void io.stderr.write(`toolquake: ${line}\n`),
    });
    if (end.signal === null) return end.code ?? 1;
    if (MIRRORED_SIGNALS.includes(end.signal)) await dieOf(end.signal, io);
    return 128 + (constants.signals[end.signal] ?? 0);
  },
});

/** Ends this process by a signal. Resolves only where the system would not have it. */
async function dieOf(signal: NodeJS.Signals, io: CommandIo): Promise<void> {
  await new Promise<void>((resolve) => io.stderr.write('', () => resolve()));
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
