import { defineCommand, numberOf, textOf } from '../command.js';
import { ADMIN_PORT, RUN_DIRECTORY } from '../live-options.js';
import { mirrorEnd } from '../mirror-end.js';

/** The proxy between a client and a server that talk over stdin and stdout. stdout carries protocol only. */
export const proxyStdio = defineCommand({
  name: 'proxy stdio',
  summary: 'Stands between an MCP client and a stdio server, and injects the faults of a plan.',
  rest: { name: 'COMMAND', about: 'The server command and its arguments; no shell is involved.', isRequired: true },
  options: [
    { flag: '--plan', kind: 'text', value: 'FILE', about: 'Fault plan (YAML or JSON). Without one, everything passes untouched.' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append every decision and call to this file (JSONL).' },
    RUN_DIRECTORY,
    { flag: '--seed', kind: 'integer', value: 'N', about: "Takes the place of the plan's seed.", min: 0, max: Number.MAX_SAFE_INTEGER },
    { flag: '--label', kind: 'text', value: 'TEXT', about: 'Session label that draws depend on; default: the name the client gives.' },
    ADMIN_PORT,
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
      runDirectory: textOf(options['runDir']),
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
    return mirrorEnd(end, io);
  },
});
