import { ToolquakeError } from '@toolquake/sdk/core';
import { defineCommand, EXIT } from '../command.js';

/** Stops runs. */
export const stop = defineCommand({
  name: 'stop',
  summary: 'Stops an experiment and waits until it is undone. Needs no permission. Exit code 0: nothing is in place, 6: something is.',
  positionals: [
    { name: 'RUN', about: 'The run to stop, or the beginning of its id; may be left out when there is only one.', isOptional: true },
  ],
  options: [
    {
      flag: '--all',
      kind: 'switch',
      about: 'Stop every run of this host, and let none start before a person resumes ("toolquake resume").',
    },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
  ],
  examples: ['toolquake stop', 'toolquake stop 20261119-014312-block-database-3f9a', 'toolquake stop --all'],
  async handle({ options, positionals }, io) {
    const { haltHost, runsToStop, stopRun } = await import('../../operations/stop-runs.js');
    const { leftoverText } = await import('../leftover-page.js');
    const isAll = options['all'] === true;
    let problem: string | undefined;
    if (isAll) {
      try {
        const code = haltHost(io.env, 'somebody stopped everything', io.stderr.isTTY === true);
        // Only on a terminal: whoever reads our output from a pipe is not who decides when to go on.
        io.stderr.write(
          `This host is halted: no experiment starts before "toolquake resume"${code === undefined ? '' : ` (or resume --code ${code})`}.\n`,
        );
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
    }
    const open = runsToStop(io.env, process.cwd(), (line) => io.stderr.write(`${line}\n`));
    const chosen = isAll
      ? open
      : choose(
          open.map(({ runId }) => runId),
          positionals['RUN'],
        ).flatMap((id) => open.filter(({ runId }) => runId === id));
    const stopped = await Promise.all(chosen.map((run) => stopRun(run, io.env)));
    if (options['json'] === true)
      io.stdout.write(`${JSON.stringify({ isHalted: isAll && problem === undefined, runs: stopped }, null, 2)}\n`);
    else if (stopped.length === 0) io.stdout.write('No experiment is running.\n');
    else
      for (const { runId, how, left } of stopped)
        io.stdout.write(`${runId}: ${how}\n${left === undefined ? '' : leftoverText(left, io.stdout.columns ?? 100)}`);
    if (problem !== undefined) io.stderr.write(`This host could not be halted, so new runs may start: ${problem}\n`);
    if (stopped.some(({ left }) => left !== undefined)) return EXIT.undoFailed;
    return problem === undefined ? EXIT.pass : EXIT.environment;
  },
});

function choose(open: readonly string[], given: string | undefined): readonly string[] {
  // The beginning of an id is enough: whoever wants to stop something is in a hurry.
  const meant = open.filter((id) => given !== undefined && id.startsWith(given));
  const named = given !== undefined && !open.includes(given) && meant.length === 1 ? meant[0] : given;
  if (named !== undefined && !open.includes(named)) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: meant.length > 1 ? `"${named}" is the beginning of ${meant.length} runs.` : `No run "${named}" is open.`,
      advice: open.length === 0 ? 'No experiment is running on this host.' : `Open are: ${open.join(', ')}.`,
    });
  }
  if (named === undefined && open.length > 1) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `${open.length} runs are open: ${open.join(', ')}.`,
      advice: 'Name one of them, or stop all with --all.',
    });
  }
  return named === undefined ? open : [named];
}
