/** `toolquake run`: from the command line to a planned run, and from its journal to text and an exit code. */
import { consent } from '../operations/consent.js';
import { aboutOf } from '../operations/experiment-actions.js';
import { planRun, type PlannedRun } from '../operations/plan-run.js';
import { openResult } from '../operations/result-file.js';
import { runExperiment } from '../operations/run-experiment.js';
import { printable } from '../reporters/escape.js';
import { PLAIN } from '../reporters/figures.js';
import { renderRun } from '../reporters/run-report.js';
import { createRunDigest } from '../reporters/run/run-digest.js';
import { stateDirectory } from '../undo/state-directory.js';
import { hostMs } from '../workers/host-clock.js';
import { EXIT, numberOf, textOf, wordOf, type CommandArguments, type CommandIo } from './command.js';
import { typedLine } from './ask-terminal.js';
import { startLiveRun, type LiveRun } from './live-run.js';
import { exitOfRun } from './run-exit.js';
import { coloursFor } from './terminal.js';

/** Runs the experiment that the command line names. */
export async function runPage(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options, words } = args;
  const format =
    options['json'] === true ? 'json' : wordOf('--format', String(options['format']), ['console', 'json', 'markdown', 'junit', 'html']);
  const out = textOf(options['out']);
  const isDryRun = options['dryRun'] === true;
  const planned = await planRun({
    file: words[0] ?? '',
    project: textOf(options['config']),
    root: process.cwd(),
    stage: numberOf(options['stage']),
    env: io.env,
    signal: io.signal,
  });
  const result = openResult(out, io.stdout);
  const isLive = format === 'console' && out === undefined;
  const isQuiet = options['quiet'] === true;
  let live: LiveRun | undefined;
  const end = await runExperiment(planned, {
    isDryRun,
    agree: isDryRun ? undefined : () => agree(planned, options['yes'] === true, io),
    env: io.env,
    signal: io.signal,
    onStart() {
      // Not earlier: somebody may have been asked, and nothing may write over the question.
      const startedMs = hostMs();
      if (!isQuiet) live = startLiveRun({ stream: isLive ? io.stdout : io.stderr, env: io.env, nowMs: () => hostMs() - startedMs });
    },
    onEntry: (entry) => live?.entry(entry),
    tell: (line) => void io.stderr.write(`toolquake: ${line}\n`),
  }).finally(() => live?.close());
  if (!isLive || isQuiet) {
    const digester = createRunDigest();
    for (const entry of end.entries) digester.add(entry);
    result.write(
      renderRun(digester.result(), format, { subject: end.runId, paint: out === undefined ? coloursFor(io.stdout, io.env) : PLAIN }),
    );
  }
  const { verdict } = end.judgement.verdict;
  const { widen, greens } = planned.ladder;
  if (verdict === 'held' && widen.length > 0) {
    const lines = [`It had held ${greens} times before, so this green does not count. What would teach something:`, ...widen];
    io.stderr.write(`${lines.join('\n  ')}\n`);
  }
  if (verdict !== 'undo-failed' && io.signal.aborted) return EXIT.interrupted;
  return exitOfRun(verdict);
}

/** A person agrees: by an approval that was given before, by `--yes` where little can happen, or here and now. */
async function agree(planned: PlannedRun, isYes: boolean, io: CommandIo): Promise<void> {
  const { experiment, ladder, target, planDigest: digest, root } = planned;
  const agreed = await consent({
    stage: ladder.stage,
    approvalFromStage: experiment.approval.fromStage,
    target,
    digest,
    isYes,
    place: { root, stateFolder: stateDirectory(io.env) },
    now: new Date(),
    // Reading a stdin that nobody types into would wait for ever.
    ask: io.stdout.isTTY && io.stdin.isTTY ? () => askAtTerminal(planned, io) : undefined,
  });
  if (agreed.by === 'approval') io.stderr.write(`toolquake: approved by ${agreed.who} at ${agreed.at}\n`);
}

async function askAtTerminal({ experiment, ladder, actions, target, targetIdentity }: PlannedRun, io: CommandIo): Promise<boolean> {
  // Of an address, what is no secret in it.
  const where = target.target.kind === 'url' ? targetIdentity : target.target.command.join(' ');
  io.stdout.write(`${printable(experiment.question)}\n\n  target  ${experiment.target}, ${printable(where)}\n`);
  for (const { action, step } of actions)
    io.stdout.write(`  ${step.id}  ${printable(aboutOf(action, step.params))}; at worst: ${action.worstCase}\n`);
  const question = `\nRun stage ${ladder.stage} (${ladder.dose} %)? Type "yes": `;
  return (await typedLine(question, { input: io.stdin, output: io.stdout, signal: io.signal })) === 'yes';
}
