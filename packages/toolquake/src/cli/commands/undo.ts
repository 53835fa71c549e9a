import { ToolquakeError } from '@toolquake/sdk/core';
import { defineCommand, EXIT } from '../command.js';

/** Undoes what runs left behind. */
export const undo = defineCommand({
  name: 'undo',
  summary: 'Undoes what dead runs left behind, and looks whether it worked. Exit code 0: all undone, 6: something is left.',
  positionals: [{ name: 'RUN', about: 'The run to undo; all that are dead unless given.', isOptional: true }],
  options: [
    {
      flag: '--forget',
      kind: 'switch',
      about: 'Give a run up that cannot be undone, after you put right by hand what it changed. Asks on the terminal.',
    },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
  ],
  examples: [
    'toolquake undo',
    'toolquake undo 20261119-014312-block-database-3f9a',
    'toolquake undo 20261119-014312-block-database-3f9a --forget',
  ],
  async handle({ options, positionals }, io) {
    const { findLeftovers, forgetRun, isNothingLeft, undoRun } = await import('../../undo/leftovers.js');
    const { leftoverText, outcomeText } = await import('../leftover-page.js');
    const width = io.stdout.columns ?? 100;
    const all = findLeftovers(io.env);
    const named = all.filter(({ runId }) => positionals['RUN'] === undefined || runId === positionals['RUN']);
    const [first] = named;
    const isNamed = positionals['RUN'] !== undefined;
    if (!isNamed && options['forget'] === true) {
      throw new ToolquakeError('BAD_ARGUMENT', { message: '--forget needs the run that is to be given up.' });
    }
    if (positionals['RUN'] !== undefined)
      refuse(
        positionals['RUN'],
        first?.state,
        all.map(({ runId }) => runId),
      );
    const results: { readonly runId: string; readonly outcomes: readonly unknown[]; readonly isUndone: boolean }[] = [];
    const tell = (text: string): void => void (options['json'] === true || io.stdout.write(text));
    const idle = named.filter(({ state }) => state === 'dead' || state === 'unknown' || (isNamed && state !== 'running'));
    for (const one of idle) {
      const outcomes = await undoRun(one, { by: 'person', env: io.env }).catch(() => []);
      const now = findLeftovers(io.env).find(({ runId }) => runId === one.runId);
      const isUndone = now === undefined || isNothingLeft(now);
      results.push({ runId: one.runId, outcomes, isUndone });
      tell(isUndone || now === undefined ? `${one.runId}: all undone\n${outcomeText(outcomes, width)}` : leftoverText(now, width));
    }
    if (idle.length === 0) tell('There is nothing to undo.\n');
    let left = results.filter(({ isUndone }) => !isUndone).map(({ runId }) => runId);
    if (options['forget'] === true && first !== undefined && left.includes(first.runId)) {
      const { isTypedOnTerminal } = await import('../ask-terminal.js');
      const question = `Run ${first.runId} could not be undone. Giving it up means that what it changed stays changed, unless you put it right by hand.`;
      if (await isTypedOnTerminal(question, `forget ${first.runId}`, io.signal)) {
        await forgetRun(first, io.env);
        left = left.filter((runId) => runId !== first.runId);
        tell(`${first.runId}: forgotten\n`);
      }
    }
    if (options['json'] === true) io.stdout.write(`${JSON.stringify({ isClean: left.length === 0, runs: results }, null, 2)}\n`);
    return left.length === 0 ? EXIT.pass : EXIT.undoFailed;
  },
});

function refuse(runId: string, state: string | undefined, known: readonly string[]): void {
  if (state === 'running') {
    throw new ToolquakeError('BAD_ARGUMENT', { message: `Run ${runId} is still running.`, advice: `Stop it: "toolquake stop ${runId}".` });
  }
  if (state !== undefined) return;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `No run "${runId}" is open on this host.`,
    advice: known.length === 0 ? 'Nothing is left behind.' : `Open are: ${known.join(', ')}.`,
  });
}
