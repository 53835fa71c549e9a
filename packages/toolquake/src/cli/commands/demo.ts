import { defineCommand, EXIT } from '../command.js';

const MAX_TASKS = 10_000_000;

/** The first minute with the product: one command, no server, no configuration. */
export const demo = defineCommand({
  name: 'demo',
  summary: "Shows what failing tool calls do to an agent's tasks, without and with resilience.",
  options: [
    { flag: '--rate', kind: 'number', value: 'SHARE', min: 0, max: 1, default: 0.02, about: 'Share of calls that fail.' },
    { flag: '--fanout', kind: 'integer', value: 'CALLS', min: 1, max: 1000, default: 8, about: 'Tool calls per task.' },
    { flag: '--tasks', kind: 'integer', value: 'TASKS', min: 1, max: MAX_TASKS, default: 200, about: 'Tasks to simulate.' },
    { flag: '--seed', kind: 'integer', value: 'SEED', min: 0, default: 42, about: 'The same seed makes the same result.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append every call and every fault to a file.' },
  ],
  examples: ['toolquake demo', 'toolquake demo --rate 0.01 --fanout 20', 'toolquake demo --json'],
  async handle({ options }, io) {
    const [{ runDemo }, { openResult }, { renderDemo }, { simulationJson }, { PLAIN }, { coloursFor, withProgress }] = await Promise.all([
      import('../../operations/demo.js'),
      import('../../operations/result-file.js'),
      import('../../reporters/demo.js'),
      import('../../reporters/simulation.js'),
      import('../../reporters/figures.js'),
      import('../terminal.js'),
    ]);
    const [rate, out] = [options['rate'] as number, options['out'] as string | undefined];
    const result = openResult(out, io.stdout);
    const report = await withProgress(io, 'simulating', (onProgress) =>
      runDemo({
        rate,
        fanout: options['fanout'] as number,
        tasks: options['tasks'] as number,
        seed: options['seed'] as number,
        journalPath: options['journal'] as string | undefined,
        signal: io.signal,
        onProgress,
        tell: (line) => io.stderr.write(`${line}\n`),
      }),
    );
    result.write(
      options['json'] === true
        ? simulationJson(report)
        : renderDemo(report, { rate, maxTasks: MAX_TASKS, paint: out === undefined ? coloursFor(io.stdout, io.env) : PLAIN }),
    );
    const hasFired = report.rows.some(({ fired }) => Object.values(fired).some((times) => times > 0));
    if (rate === 0 || hasFired) return EXIT.pass;
    io.stderr.write(`No call failed: at rate ${rate} that is bad luck with so few calls. Nothing was shown, so this is no pass.\n`);
    return EXIT.neverFired;
  },
});
