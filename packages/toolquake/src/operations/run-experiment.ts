/** Runs one stage of an experiment to its verdict: everything is written down first, and undone always. */
import { join, resolve } from 'node:path';
import { JOURNAL_VERSION, type JsonObject } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import type { WorkerHandle } from '../actions/action.js';
import type { RunEntry } from '../core/run-entry.js';
import type { Judgement } from '../experiments/judge.js';
import { runExperiment as drive } from '../experiments/run-experiment.js';
import { refusalsOf } from '../experiments/refusals.js';
import { createSampleBook } from '../experiments/sample-book.js';
import { watchHost } from '../managers/watch-host.js';
import { openManager } from '../managers/open-manager.js';
import { watchProcess } from '../managers/watch-process.js';
import { readHalt, refuseWhileHalted } from '../undo/halt.js';
import { sweepBeforeStart } from '../undo/leftovers.js';
import { openLedger } from '../undo/open-ledger.js';
import { readLedger } from '../undo/read-ledger.js';
import { takeServerLock } from '../undo/server-lock.js';
import { startWarden } from '../undo/start-warden.js';
import { isStopRequested } from '../undo/stop-request.js';
import { hostMs } from '../workers/host-clock.js';
import { startWorker } from '../workers/start-worker.js';
import { aboutOf, blastOf, runAction } from './experiment-actions.js';
import { FRONT_TOKEN_VARIABLE, frontToken, openFront } from './experiment-front.js';
import { openExperimentJournal } from './experiment-journal.js';
import { preconditionsOf } from './experiment-preconditions.js';
import { secretsOf } from './experiment-secrets.js';
import { openSources } from './experiment-sources.js';
import { noteMissedAlert } from './missed-alerts.js';
import { sameBuild, type PlannedRun } from './plan-run.js';
import { createRun, newRunId, RUN_FILES, runsFolder } from './run-store.js';

/** What a run needs. */
export type RunExperimentOptions = {
  readonly isDryRun: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  /** Rejects when nobody agreed. Asked once the server is ours: an approval counts once, and is not used up for nothing. */
  readonly agree?: (() => Promise<void>) | undefined;
  /** Hears of the run as soon as it has a name. */
  readonly onStart?: ((run: { readonly runId: string; readonly folder: string }) => void) | undefined;
  readonly onEntry: (entry: RunEntry) => void;
  /** One line for people. */
  readonly tell: (line: string) => void;
};

/** What came of it. */
export type RunEnd = {
  readonly runId: string;
  readonly folder: string;
  readonly judgement: Judgement;
  readonly entries: readonly RunEntry[];
};

const HOST_EVERY_MS = 1000;
// Looking may mean to start the command line of a process manager: more often would be load.
const PROCESS_EVERY_MS = 1000;
const COUNTS_EVERY_MS = 500;

/** Rejects only before anything was changed; from then on there is a verdict. */
export async function runExperiment(planned: PlannedRun, options: RunExperimentOptions): Promise<RunEnd> {
  const { experiment, target: upstream, ladder, root, text } = planned;
  const { isDryRun, signal, tell } = options;
  const token = frontToken();
  const env = { ...options.env, [FRONT_TOKEN_VARIABLE]: token };
  refuseWhileHalted(env);
  await sweepBeforeStart(env, { tell });

  const runId = newRunId(experiment.id, new Date());
  const lock = takeServerLock({ env, server: serverOf(planned), runId, ledgerPath: join(runsFolder(root), runId, RUN_FILES.ledger) });
  /** Everything that was started, let go of in reverse. */
  const opened: (() => Promise<void> | void)[] = [];
  const letGo = async (): Promise<void> => {
    for (const close of opened.splice(0).toReversed())
      await Promise.resolve(close()).catch((error: unknown) => tell(`at the end: ${String(error)}`));
  };
  try {
    await options.agree?.();
    const files = createRun(root, runId, text);
    opened.push(() => {
      // What is not undone keeps the server to itself, until a sweep or a person has undone it.
      if (isClean(files.ledger)) lock.release();
    });
    const ledger = await openLedger({ path: files.ledger, runId, env, deadlineMs: experiment.undo.deadlineMs, lock: lock.place });
    opened.push(() => ledger.close());
    const alarm = new AbortController();
    let alarmed: string | undefined;
    const raise = (why: string): void => {
      alarmed ??= why;
      alarm.abort();
    };
    const warden = await startWarden({ ledgerPath: files.ledger, lease: experiment.lease, env });
    opened.push(() => warden.dismiss());
    warden.onDeath(raise);

    const startedAtHostMs = hostMs();
    const nowMs = (): number => hostMs() - startedAtHostMs;
    const fault = { onMs: Infinity, offMs: Infinity };
    // Of calls to a server under fault none is one that we did not touch; and where no proxy of ours tells, nobody knows.
    const isBlurred = blastOf(experiment) === 'server' || (blastOf(experiment) === 'calls' && experiment.front === undefined);
    const journal = openExperimentJournal(files.journal, {
      secrets: [...secretsOf(upstream, experiment, env), token],
      onEntry: options.onEntry,
      tell,
    });
    opened.push(() => journal.close());
    let isOver = false;
    let isUndoing = false;
    const record = (entry: RunEntry): void => {
      // What proxies and workers say while they are let go of belongs to no run: the verdict is the last word.
      if (isOver) return;
      isOver = entry.kind === 'verdict';
      if (entry.kind === 'action' && entry.state === 'applying') fault.onMs = Math.min(fault.onMs, entry.atMs);
      if (entry.kind === 'phase' && entry.phase === 'undo') isUndoing = true;
      if (entry.kind === 'phase' && entry.phase === 'after') fault.offMs = entry.atMs;
      journal.record(entry);
    };
    const samples = createSampleBook();
    const workerOf = (role: string, config: JsonObject): Promise<WorkerHandle> => startWorker(role, config, { env });
    options.onStart?.({ runId, folder: files.folder });
    record({
      v: JOURNAL_VERSION,
      kind: 'experiment',
      atMs: 0,
      run: runId,
      experiment: experiment.id,
      question: experiment.question,
      ...(experiment.owner === undefined ? {} : { owner: experiment.owner }),
      target: experiment.target,
      targetDigest: planned.targetDigest,
      environment: experiment.environment,
      startedAt: new Date().toISOString(),
      stage: ladder.stage,
      stages: experiment.dose.ladder.length,
      dose: ladder.dose,
      seed: experiment.dose.seed,
      planDigest: planned.planDigest,
      faultDigest: planned.faultDigest,
      isDryRun,
      monitorEveryMs: experiment.monitor.everyMs,
      recoverWithinMs: experiment.recoverWithinMs,
      actions: planned.actions.map(({ action, step }) => ({
        id: step.id,
        action: step.action,
        blast: action.blast,
        about: aboutOf(action, step.params),
      })),
    });

    let onFrontCall: Parameters<typeof openFront>[0]['onCall'] = () => {};
    const fronted =
      experiment.front === undefined
        ? undefined
        : await openFront({
            upstream,
            port: experiment.front.port,
            seed: experiment.dose.seed,
            runDirectory: files.folder,
            token,
            startWorker: workerOf,
            onCall: (entry) => onFrontCall(entry),
            tell: (line) => record({ kind: 'note', atMs: nowMs(), text: line }),
          });
    if (fronted !== undefined) {
      opened.push(() => fronted.worker.stop());
      void fronted.worker.ended.then(() => raise('The proxy before the target has ended.'));
      record({ kind: 'note', atMs: nowMs(), text: `callers reach the target through ${fronted.front.url}` });
    }
    const target = fronted?.target ?? upstream;
    const sources = await openSources({
      runId,
      experiment,
      target,
      upstream,
      hasFront: fronted !== undefined,
      startedAtHostMs,
      nowMs,
      env,
      samples,
      record,
      wasFaulty: (fromMs, toMs) => isBlurred && toMs >= fault.onMs && fromMs < fault.offMs,
      startWorker: workerOf,
    });
    opened.push(() => sources.stop());
    onFrontCall = sources.onFrontCall;
    const over = new AbortController();
    opened.push(() => over.abort());
    const watching = { clock: realClock, nowMs, signal: over.signal, onSample: sources.take };
    void watchHost({ ...watching, everyMs: HOST_EVERY_MS });
    if (experiment.manager !== undefined) {
      const manager = await openManager(experiment.manager, { env, signal: over.signal, ...ownCommandOf(planned) });
      void watchProcess(manager, { ...watching, everyMs: PROCESS_EVERY_MS });
    }
    if (fronted !== undefined) {
      const counting = setInterval(() => sources.take({ source: 'faults', atMs: nowMs(), ...fronted.front.counts() }), COUNTS_EVERY_MS);
      opened.push(() => clearInterval(counting));
    }

    const world = {
      runId,
      runDirectory: files.folder,
      env,
      clock: realClock,
      nowMs,
      signal,
      target,
      upstream,
      manager: experiment.manager,
      front: fronted?.front,
      seed: experiment.dose.seed,
      onSample: sources.take,
      async startWorker(role: string, config: JsonObject) {
        const worker = await workerOf(role, config);
        void worker.ended.then(({ code, signal: by }) => {
          // A fault that ended with its worker proves nothing about the time after it.
          if (code !== 0 && !isUndoing) raise(`A worker of the fault (${role}) ended before its time (${by ?? `exit code ${code}`}).`);
        });
        return worker;
      },
      tell: (line: string) => record({ kind: 'note', atMs: nowMs(), text: line }),
    };
    const judgement = await drive(
      experiment,
      { isDryRun },
      {
        clock: realClock,
        nowMs,
        samples,
        actions: planned.actions.map((staged) => runAction(staged, world)),
        record,
        entries: journal.entries,
        preconditions: () => preconditionsOf({ planned, world, sources, samples }),
        build: () => sameBuild(planned, { env, signal }),
        async perform(action, step) {
          if (step.undo === undefined) return step.apply();
          const number = await ledger.intend(action, step.name, step.undo);
          await step.apply();
          await ledger.applied(number);
        },
        undoAll: ledger.undoAll,
        stopReason() {
          if (signal.aborted) return { why: 'It was interrupted.', isAsked: true };
          if (isStopRequested(files.folder)) return { why: 'Somebody asked it to stop ("toolquake stop").', isAsked: true };
          const halt = readHalt(env);
          if (halt !== undefined) return { why: `This host was halted: ${halt.why}`, isAsked: true };
          const why =
            alarmed ??
            sources.failure() ??
            ledger.lostTo() ??
            (lock.isHeld() ? undefined : 'The lock on the server was lost.') ??
            journal.failure()?.message;
          return why === undefined ? productionSince(planned, options.env) : { why, isAsked: false };
        },
        signal: AbortSignal.any([signal, alarm.signal]),
      },
    );
    if (judgement.findings.some(({ name }) => name === 'missed-alert')) blockServer(planned, runId, options);
    await letGo();
    return { runId, folder: files.folder, judgement, entries: journal.entries() };
  } catch (error) {
    const isOurs = opened.length > 0;
    await letGo();
    if (!isOurs) lock.release();
    // What was being set up when somebody interrupted it has failed for that reason.
    signal.throwIfAborted();
    throw error;
  }
}

/** Nobody is told when this server is down: nothing more is broken there, from whichever folder, before a person has read so. */
function blockServer({ root, experiment: { target }, targetDigest }: PlannedRun, runId: string, { env, tell }: RunExperimentOptions): void {
  try {
    noteMissedAlert(env, { runId, root: resolve(root), target, targetDigest });
  } catch (error) {
    tell(`Only runs from this folder are blocked by the missed alert: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The process's own environment may be changed by whoever embeds us: what was staging may not be any more. */
function productionSince(
  { experiment, target }: PlannedRun,
  env: RunExperimentOptions['env'],
): { why: string; isAsked: false } | undefined {
  const [first] = refusalsOf(experiment, target, env);
  return first && { why: first.message, isAsked: false };
}

/** Whoever is reached by another name of this host, or by another path, is the same server: faults of two runs would be mixed up. */
function serverOf({ target: { target }, targetIdentity }: PlannedRun): string {
  return target.kind === 'url' && URL.canParse(targetIdentity) ? new URL(targetIdentity).origin : targetIdentity;
}

function isClean(ledgerPath: string): boolean {
  try {
    return readLedger(ledgerPath).isClean;
  } catch (error) {
    // There never was one: nothing was done.
    return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  }
}

const ownCommandOf = ({ target }: PlannedRun): { ownCommand?: readonly string[] } =>
  target.target.kind === 'command' ? { ownCommand: target.target.command } : {};
