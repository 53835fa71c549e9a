import { defineCommand } from '../command.js';
import { mirrorEnd } from '../mirror-end.js';

/** Listens to real traffic and writes it down, without its secrets. stdout carries protocol only. */
export const record = defineCommand({
  name: 'record',
  summary: 'Stands between an MCP client and a stdio server, and records their conversation for "toolquake replay".',
  rest: { name: 'COMMAND', about: 'The server command and its arguments; no shell is involved.', isRequired: true },
  options: [
    { flag: '--out', kind: 'text', value: 'FILE', about: 'The recording (JSONL); a run is appended to what is there.', isRequired: true },
  ],
  examples: ['toolquake record --out everything.rec.jsonl -- npx -y @modelcontextprotocol/server-everything stdio'],
  handle: async ({ options, rest }, io) => {
    const { recordStdio } = await import('../../operations/record-stdio.js');
    const end = await recordStdio({
      outPath: String(options['out']),
      command: rest,
      env: io.env,
      stdin: () => io.stdin,
      stdout: () => io.stdout,
      tell: (line) => void io.stderr.write(`toolquake: ${line}\n`),
    });
    return mirrorEnd(end, io);
  },
});
