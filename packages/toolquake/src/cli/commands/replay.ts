import { defineCommand, EXIT, numberOf, textOf, wordOf } from '../command.js';
import { listeningFace } from '../listening-face.js';
import { mirrorEnd } from '../mirror-end.js';

/** A recording as a server of its own. stdout carries protocol only. */
export const replay = defineCommand({
  name: 'replay',
  summary: 'Serves a recording as an MCP server, over stdio or HTTP: the same answers, notifications and errors, without the real server.',
  positionals: [{ name: 'FILE', about: 'What "toolquake record" wrote.' }],
  options: [
    {
      flag: '--timing',
      kind: 'text',
      value: 'WORD',
      about: 'As slow as the server was (original), or without waiting (none).',
      default: 'none',
    },
    {
      flag: '--exhausted',
      kind: 'text',
      value: 'WORD',
      about: 'A request that comes more often than recorded gets its last answer again (repeat), or an error.',
      default: 'repeat',
    },
    {
      flag: '--port',
      kind: 'integer',
      value: 'PORT',
      about: 'Serve HTTP on this loopback port (0: any free one) instead of stdio.',
      min: 0,
      max: 65535,
    },
    { flag: '--json', kind: 'switch', about: 'With --port: print where the replay listens as one line of JSON on stdout.' },
    { flag: '--plan', kind: 'text', value: 'FILE', about: 'Fault plan (YAML or JSON) to inject into the replay.' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append every decision and call to this file (JSONL).' },
    { flag: '--seed', kind: 'integer', value: 'N', about: "Takes the place of the plan's seed.", min: 0, max: Number.MAX_SAFE_INTEGER },
  ],
  examples: ['toolquake replay everything.rec.jsonl', 'toolquake replay everything.rec.jsonl --plan quake.yaml --port 8900'],
  handle: async ({ options, words }, io) => {
    const path = String(words[0]);
    const timing = wordOf('--timing', String(options['timing']), ['original', 'none']);
    const exhausted = wordOf('--exhausted', String(options['exhausted']), ['repeat', 'error']);
    const tell = (line: string): void => void io.stderr.write(`toolquake: ${line}\n`);
    const planPath = textOf(options['plan']);
    const journalPath = textOf(options['journal']);
    const port = numberOf(options['port']);
    if (port !== undefined) {
      const { replayHttp } = await import('../../operations/replay-http.js');
      const onListening = listeningFace(io, options['json'] === true, `replaying ${path}`);
      const { signal: until } = io;
      const plan = { planPath, journalPath, seed: numberOf(options['seed']), env: io.env };
      const { unmatched } = await replayHttp({ path, timing, exhausted, tell, port, signal: until, onListening, ...plan });
      return unmatched > 0 ? EXIT.failed : EXIT.interrupted;
    }
    if (planPath !== undefined || journalPath !== undefined) {
      const [{ proxyStdio }, { readRecording }] = await Promise.all([
        import('../../operations/proxy-stdio.js'),
        import('../../operations/recording-file.js'),
      ]);
      // A bad recording is bad input, told before anything is started.
      await readRecording(path);
      const self = [process.execPath, String(process.argv[1])];
      const command = [...self, 'replay', path, '--timing', timing, '--exhausted', exhausted];
      const seed = numberOf(options['seed']);
      const streams = { stdin: () => io.stdin, stdout: () => io.stdout };
      return mirrorEnd(await proxyStdio({ command, planPath, journalPath, seed, env: io.env, ...streams, tell }), io);
    }
    const { replayStdio } = await import('../../operations/replay-stdio.js');
    const { signal } = io;
    const { unmatched } = await replayStdio({
      path,
      timing,
      exhausted,
      tell,
      signal,
      stdin: () => io.stdin,
      stdout: () => io.stdout,
    });
    if (unmatched > 0) return EXIT.failed;
    return signal.aborted ? EXIT.interrupted : EXIT.pass;
  },
});
