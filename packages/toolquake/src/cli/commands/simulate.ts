import { ToolquakeError } from '@toolquake/sdk/core';
import { defineCommand, EXIT, wordOf } from '../command.js';

/** Plans and their seeds on virtual time. */
export const simulate = defineCommand({
  name: 'simulate',
  summary: 'Runs a fault plan against a simulated agent and server, over one seed or many.',
  positionals: [{ name: 'FILE', about: 'A plan in YAML or JSON; without it, the headline of "toolquake demo".', isOptional: true }],
  options: [
    { flag: '--tasks', kind: 'integer', value: 'TASKS', min: 1, max: 10_000_000, default: 200, about: 'Tasks per seed.' },
    { flag: '--fanout', kind: 'integer', value: 'CALLS', min: 1, max: 1000, default: 8, about: 'Tool calls per task.' },
    {
      flag: '--rate',
      kind: 'number',
      value: 'SHARE',
      min: 0,
      max: 1,
      about: 'Share of calls that fail in the headline, 0.02 unless told otherwise; a plan has its own.',
    },
    { flag: '--seed', kind: 'integer', value: 'SEED', min: 0, about: "The first seed; the plan's own, or 42, unless told otherwise." },
    {
      flag: '--seeds',
      kind: 'integer',
      value: 'COUNT',
      min: 1,
      max: 100_000,
      default: 1,
      about: 'Seeds to run; results are means over them.',
    },
    {
      flag: '--random',
      kind: 'text',
      value: 'SOURCE',
      about: 'Where draws come from: keyed (plans, as live) or mersenne (the headline, as CPython).',
    },
    { flag: '--resilience', kind: 'text', value: 'WHICH', default: 'both', about: 'Simulate an agent with resilience: on, off or both.' },
    { flag: '--era', kind: 'text', value: 'ERA', default: 'legacy', about: 'Protocol era of the simulated session: legacy or modern.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append every call and every fault to a file.' },
  ],
  examples: [
    'toolquake simulate --seeds 50',
    'toolquake simulate plan.yaml --tasks 1000',
    'toolquake simulate plan.yaml --resilience off --journal run.jsonl',
  ],
  async handle({ options, positionals }, io) {
    const given = options['random'] as string | undefined;
    const random = given === undefined ? undefined : wordOf('--random', given, ['keyed', 'mersenne']);
    const defence = wordOf('--resilience', options['resilience'] as string, ['on', 'off', 'both']);
    const era = wordOf('--era', options['era'] as string, ['legacy', 'modern']);
    const planPath = positionals['FILE'];
    const rate = options['rate'] as number | undefined;
    if (planPath !== undefined && rate !== undefined) {
      throw new ToolquakeError('BAD_ARGUMENT', {
        message: '--rate is for the headline; a plan says itself how often its rules fire.',
        advice: 'Leave out --rate, or the file.',
      });
    }
    const [
      { runSimulate },
      { openResult },
      { neverFired, renderSimulation, simulationJson, unmetExpectations },
      { PLAIN },
      { coloursFor, withProgress },
    ] = await Promise.all([
      import('../../operations/simulate.js'),
      import('../../operations/result-file.js'),
      import('../../reporters/simulation.js'),
      import('../../reporters/figures.js'),
      import('../terminal.js'),
    ]);
    const out = options['out'] as string | undefined;
    const result = openResult(out, io.stdout);
    const report = await withProgress(io, 'simulating', (onProgress) =>
      runSimulate({
        planPath,
        rate: rate ?? 0.02,
        tasks: options['tasks'] as number,
        fanout: options['fanout'] as number,
        seed: options['seed'] as number | undefined,
        seeds: options['seeds'] as number,
        random,
        defence,
        era,
        journalPath: options['journal'] as string | undefined,
        signal: io.signal,
        onProgress,
        tell: (line) => io.stderr.write(`${line}\n`),
      }),
    );
    result.write(
      options['json'] === true
        ? simulationJson(report)
        : renderSimulation(report, out === undefined ? coloursFor(io.stdout, io.env) : PLAIN),
    );
    const silent = rate === 0 ? [] : neverFired(report);
    if (silent.length === 0) return unmetExpectations(report).length === 0 ? EXIT.pass : EXIT.failed;
    io.stderr.write(`${silent.map((id) => `"${id}"`).join(', ')} never fired: what never happened was not tested, so this is no pass.\n`);
    io.stderr.write('More --tasks or --seeds give it more chances; "toolquake plan explain" says when it would fire.\n');
    return EXIT.neverFired;
  },
});
