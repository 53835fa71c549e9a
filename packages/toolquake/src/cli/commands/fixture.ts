import { defineCommand } from '../command.js';

/** A server that is sick on purpose, to try a prober on. */
export const fixture = defineCommand({
  name: 'fixture',
  summary: 'Starts a server with one known trouble on loopback, and prints the toolquake.yaml that leads a probe to it.',
  positionals: [{ name: 'REASON', about: 'A failure reason; --list shows those that a server can produce.', isOptional: true }],
  options: [
    { flag: '--list', kind: 'switch', about: 'List the reasons that can be started.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
  ],
  examples: [
    'toolquake fixture --list',
    'toolquake fixture tls_expired --out sick.yaml',
    'toolquake probe -- toolquake fixture stdio_exited',
  ],
  async handle(args, io) {
    const { fixture: run } = await import('../fixture-page.js');
    return run(args, io);
  },
});
