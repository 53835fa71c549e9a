/** `toolquake simulate` for shipped scenarios and topology files. */
import { openResult } from '../operations/result-file.js';
import { runSimulateScenario } from '../operations/simulate-scenario.js';
import { PLAIN } from '../reporters/figures.js';
import { isAsExpected, renderScenario, scenarioJson, silentRules } from '../reporters/scenario.js';
import { EXIT, numberOf, textOf, type CommandArguments, type CommandIo } from './command.js';
import { openPage } from './simulate-page.js';
import { coloursFor, withProgress, wrap } from './terminal.js';

/** Runs it and prints it. `path` is for messages, `text` what stands in it. */
export async function simulateScenario(path: string, text: string, { options }: CommandArguments, io: CommandIo): Promise<number> {
  const out = textOf(options['out']);
  const result = openResult(out, io.stdout);
  const page = openPage(textOf(options['html']), io);
  const report = await withProgress(io, 'simulating', (onProgress) =>
    runSimulateScenario({
      path,
      text,
      sweep: textOf(options['sweep']),
      variant: textOf(options['variant']),
      seed: numberOf(options['seed']),
      seeds: numberOf(options['seeds']),
      threads: numberOf(options['threads']),
      journalPath: textOf(options['journal']),
      everyCall: options['everyCall'] === true,
      onEntry: page?.add,
      signal: io.signal,
      onProgress,
    }),
  );
  const paint = out === undefined ? coloursFor(io.stdout, io.env) : PLAIN;
  result.write(
    options['json'] === true
      ? scenarioJson(report)
      : renderScenario(report, paint, (text) => wrap(text, Math.min(io.stdout.columns ?? 100, 110) - 2)),
  );
  page?.write(report.title);
  const silent = silentRules(report);
  if (silent.length > 0) {
    io.stderr.write(`${silent.map((id) => `"${id}"`).join(', ')} never fired: what never happened was not tested, so this is no pass.\n`);
    return EXIT.neverFired;
  }
  return isAsExpected(report) ? EXIT.pass : EXIT.failed;
}
