/** `toolquake simulate` for fault plans and for the headline. */
import { ToolquakeError } from '@toolquake/sdk/core';
import { runSimulate } from '../operations/simulate.js';
import { openResult } from '../operations/result-file.js';
import { PLAIN } from '../reporters/figures.js';
import { neverFired, renderSimulation, simulationJson, unmetExpectations } from '../reporters/simulation.js';
import { EXIT, numberOf, textOf, type CommandArguments, type CommandIo, wordOf } from './command.js';
import { openPage } from './simulate-page.js';
import { coloursFor, withProgress } from './terminal.js';

/** Runs it and prints it. */
export async function simulatePlan(planPath: string | undefined, { options }: CommandArguments, io: CommandIo): Promise<number> {
  const given = textOf(options['random']);
  const random = given === undefined ? undefined : wordOf('--random', given, ['keyed', 'mersenne']);
  const defence = wordOf('--resilience', textOf(options['resilience']) ?? 'both', ['on', 'off', 'both']);
  const era = wordOf('--era', textOf(options['era']) ?? 'legacy', ['legacy', 'modern']);
  const rate = numberOf(options['rate']);
  if (planPath !== undefined && rate !== undefined) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: '--rate is for the headline; a plan says itself how often its rules fire.',
      advice: 'Leave out --rate, or the file.',
    });
  }
  const out = textOf(options['out']);
  const result = openResult(out, io.stdout);
  const page = openPage(textOf(options['html']), io);
  const report = await withProgress(io, 'simulating', (onProgress) =>
    runSimulate({
      planPath,
      rate: rate ?? 0.02,
      tasks: numberOf(options['tasks']) ?? 200,
      fanout: numberOf(options['fanout']) ?? 8,
      seed: numberOf(options['seed']),
      seeds: numberOf(options['seeds']) ?? 1,
      random,
      defence,
      era,
      journalPath: textOf(options['journal']),
      onEntry: page?.add,
      signal: io.signal,
      onProgress,
      tell: (line) => io.stderr.write(`${line}\n`),
    }),
  );
  result.write(
    options['json'] === true ? simulationJson(report) : renderSimulation(report, out === undefined ? coloursFor(io.stdout, io.env) : PLAIN),
  );
  page?.write(report.subject);
  const silent = rate === 0 ? [] : neverFired(report);
  if (silent.length === 0) return unmetExpectations(report).length === 0 ? EXIT.pass : EXIT.failed;
  io.stderr.write(`${silent.map((id) => `"${id}"`).join(', ')} never fired: what never happened was not tested, so this is no pass.\n`);
  io.stderr.write('More --tasks or --seeds give it more chances; "toolquake plan explain" says when it would fire.\n');
  return EXIT.neverFired;
}
