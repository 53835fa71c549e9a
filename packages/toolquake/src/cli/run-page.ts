/** `toolquake run`: from the command line to a planned run, and from its journal to text and an exit code. */
import { createInterface } from 'node:readline/promises';
import { consent } from '../operations/consent.js';
import type { Verdict } from '../core/experiment.js';
import type { RunEntry } from '../core/run-entry.js';
import { aboutOf } from '../operations/experiment-actions.js';
import { planRun, type PlannedRun } from '../operations/plan-run.js';
import { openResult } from '../operations/result-file.js';
import { runExperiment } from '../operations/run-experiment.js';
import { createRunTimeline } from '../reporters/run/run-timeline.js';
import { stateDirectory } from '../undo/state-directory.js';
import { EXIT, numberOf, textOf, wordOf, type CommandArguments, type CommandIo } from './command.js';
import { RUN_FORMATS, runText } from './run-formats.js';
import { coloursFor, startProgress } from './terminal.js';

/** Exit codes of verdicts (design section 8). */
const EXIT_OF: Readonly<Record<Verdict, number>> = {
  held: EXIT.pass,
  violated: EXIT.failed,
  aborted: EXIT.failed,
  'not-injected': EXIT.neverFired,
  inconclusive: EXIT.inconclusive,
  'undo-failed': EXIT.undoFailed,
};

/** Runs the experiment that the command line names. */
export async function runPage(args: CommandArguments, io: CommandIo): Promise<number> {
  const { options, words } = args;
  const format = options['json'] === true ? 'json' : wordOf('--format', String(options['format']), RUN_FORMATS);
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
  if (!isDryRun) await agree(planned, options['yes'] === true, io);
  const result = openResult(out, io.stdout);
  const isLive = format === 'console' && out === undefined;
  const show = createShow(isLive ? io.stdout : io.stderr, io, options['quiet'] === true);
  const end = await runExperiment(planned, {
    isDryRun,
    env: io.env,
    signal: io.signal,
    onEntry: show.entry,
    tell: (line) => void io.stderr.write(`toolquake: ${line}\n`),
  }).finally(show.stop);
  if (!isLive || options['quiet'] === true)
    result.write(runText(format, end.entries, out === undefined ? coloursFor(io.stdout, io.env) : undefined));
  for (const line of planned.ladder.widen) io.stderr.write(`${line}\n`);
  const { verdict } = end.judgement.verdict;
  if (verdict !== 'undo-failed' && io.signal.aborted) return EXIT.interrupted;
  return EXIT_OF[verdict];
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

async function askAtTerminal({ experiment, ladder, actions, target }: PlannedRun, io: CommandIo): Promise<boolean> {
  const where = target.target.kind === 'url' ? target.target.url : target.target.command.join(' ');
  io.stdout.write(`${experiment.question}\n\n  target  ${experiment.target}, ${where}\n`);
  for (const { action, step } of actions) io.stdout.write(`  ${step.id}  ${aboutOf(action, step.params)}; at worst: ${action.worstCase}\n`);
  const reader = createInterface({ input: io.stdin, output: io.stdout });
  try {
    return (await reader.question(`\nRun stage ${ladder.stage} (${ladder.dose} %)? Type "yes": `, { signal: io.signal })).trim() === 'yes';
  } finally {
    reader.close();
  }
}

/** The timeline: whole lines as they come, and on a terminal a line of figures that moves. */
function createShow(stream: NodeJS.WriteStream, io: CommandIo, isQuiet: boolean): { entry(entry: RunEntry): void; stop(): void } {
  if (isQuiet) return { entry: () => {}, stop: () => {} };
  const timeline = createRunTimeline({ width: stream.columns ?? 110, colours: coloursFor(stream, io.env) });
  let newestMs = 0;
  let stopProgress: (() => void) | undefined;
  const clear = stream.isTTY ? '\r\u001b[K' : '';
  return {
    entry(entry) {
      newestMs = Math.max(newestMs, entry.atMs);
      const lines = timeline.entry(entry);
      stopProgress ??= startProgress(io, () => timeline.progress(newestMs));
      if (lines.length > 0) stream.write(`${clear}${lines.join('\n')}\n`);
    },
    stop: () => stopProgress?.(),
  };
}
