import { setImmediate } from 'node:timers/promises';
import { defineCommand, EXIT, numberOf, textOf, wordOf } from '../command.js';

/** Latency gates, tried on servers of which we know whether they changed. */
export const benchSimulateGates = defineCommand({
  name: 'bench simulate-gates',
  summary: 'Shows how often each latency gate fails a clean build, and how often it catches a slower one, on simulated servers.',
  options: [
    {
      flag: '--noise',
      kind: 'text',
      value: 'MODEL',
      default: 'usual',
      about: 'How noisy servers and machines are: usual, quiet or heavy.',
    },
    {
      flag: '--trials',
      kind: 'integer',
      value: 'COUNT',
      min: 1,
      max: 1_000_000,
      default: 200,
      about: 'Comparisons per figure; four times as many where nothing changed, for rare alarms.',
    },
    { flag: '--seed', kind: 'integer', value: 'SEED', min: 0, default: 42, about: 'The same seed tells the same rates.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
  ],
  examples: ['toolquake bench simulate-gates', 'toolquake bench simulate-gates --noise heavy --trials 1000'],
  async handle({ options }, io) {
    const noise = wordOf('--noise', String(options['noise']), ['usual', 'quiet', 'heavy']);
    const [trials, seed] = [numberOf(options['trials'])!, numberOf(options['seed'])!];
    const [{ GATE_COUNT, simulateGates }, { NOISE }, { modelText, ratesText }, { openResult }, { withProgress, wrap }] = await Promise.all([
      import('../../gates/latency/simulate-gates.js'),
      import('../../gates/latency/noise-model.js'),
      import('../../gates/latency/render-rates.js'),
      import('../../operations/result-file.js'),
      import('../terminal.js'),
    ]);
    const result = openResult(textOf(options['out']), io.stdout);
    const model = NOISE[noise];
    const gates = await withProgress(io, 'simulating', async (onProgress) => {
      const rows = [];
      for (const row of simulateGates({ model, trials, seed })) {
        rows.push(row);
        onProgress(rows.length / GATE_COUNT);
        // Lets the progress line be written, and Ctrl-C be heard.
        await setImmediate();
      }
      return rows;
    });
    if (options['json'] === true) {
      result.write(`${JSON.stringify({ version: 1, seed, trials, noise, model, gates }, undefined, 2)}\n`);
      return EXIT.pass;
    }
    const sentence = `Simulated (${noise}): ${modelText(model)}. Seed ${seed}, ${trials} comparisons per figure, four times as many where nothing changed.`;
    const lines = wrap(sentence, Math.min(io.stdout.columns ?? 100, 110));
    result.write(`${lines.join('\n')}\n\n${ratesText(gates)}`);
    return EXIT.pass;
  },
});
