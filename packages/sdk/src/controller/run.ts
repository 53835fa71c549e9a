/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A run: one plan at work inside a process. All its interceptors share a clock, keyed draws, a journal and the rules, which
 * can change while it runs; stopping it puts everything back.
 */
import type { Cancel, Clock } from '../core/clock.js';
import { createDecider } from '../core/decide.js';
import { describeProblem } from '../core/describe-problem.js';
import { ToolquakeError } from '../core/errors.js';
import type { Catalogue, TransportName } from '../core/fault.js';
import { JOURNAL_VERSION, listedRules, type JournalEntry, type JournalSink } from '../core/journal.js';
import { HASH_KEY_BYTES } from '../core/keyed-hash.js';
import type { JsonObject } from '../core/message.js';
import { createPerformer } from '../core/perform.js';
import type { Plan, Rule } from '../core/plan.js';
import { keyedRandom, type RandomSource } from '../core/random.js';
import { createSessionNames, startSession, type Session } from '../core/session.js';
import { whyNowhere, type Attached } from './accept-rule.js';
import { siteOf, type Attachment, type AttachOptions } from './attach.js';
import { createController, type ChaosController } from './controller.js';
import { createRunJournal } from './run-journal.js';

/** What a run is made from. */
export type RunOptions = {
  readonly plan: Plan;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  /** The clock of what only tidies up later. */
  readonly backgroundClock: Clock;
  readonly random?: RandomSource | undefined;
  /** Why nothing may be injected; undefined when it may. */
  readonly guarded: string | undefined;
  readonly journal?: JournalSink | undefined;
  readonly onProblem?: ((error: unknown) => void) | undefined;
  readonly observesAll?: boolean | undefined;
  /** What the journal's start says; and whether rules may come that need to know the server's tools. */
  readonly transport: TransportName;
  readonly target?: string | undefined;
  readonly learnsTools?: boolean;
  /** There is one target only: its name is no part of labels. */
  readonly isAlone?: true;
  /** What the refusal of a guard names: `into fetch`. */
  readonly into?: string;
};

/** See the module comment. What it refuses throws a `ToolquakeError` and changes nothing. */
export type Run = ChaosController & {
  /** Why everything passes untouched; undefined when faults may be injected. */
  readonly guarded: string | undefined;
  readonly isStopped: boolean;
  readonly clock: Clock;
  /** The entries so far; empty when they go to a sink of yours. */
  readonly journal: readonly JournalEntry[];
  /** Hears every entry from now on. */
  listen(sink: JournalSink): Cancel;
  /** How often a rule's fault was delivered, over all interceptors. */
  fired(ruleId: string): number;
  /** Why a rule can act on nothing that is attached now; undefined when it can, or while nothing is attached. */
  whyNever(ruleId: string): string | undefined;
  /** Adds rules before all others, in their order, until they are undone or restored: for one test. All or none. */
  use(rules: JsonObject | readonly JsonObject[]): Cancel;
  /** Drops everything that `use` added. */
  restore(): void;
  /** For interceptors. */
  attach(options: AttachOptions): Attachment;
  /** Puts everything back: held calls go on, patches are undone, the journal ends. Twice is fine. */
  stop(): void;
  [Symbol.asyncDispose](): Promise<void>;
};

type Held = Attached & {
  readonly detach: () => void;
  readonly release: () => void;
  readonly endRules: (ruleIds: readonly string[]) => void;
  readonly fired: ReadonlyMap<string, number>;
};

/** Starts a run of a checked plan. */
export function startRun(options: RunOptions): Run {
  const { plan, catalogue, clock, guarded } = options;
  const startedAtMs = clock.nowMs();
  const atMs = (): number => clock.nowMs() - startedAtMs;
  const tell = options.onProblem ?? (() => {});
  const journal = createRunJournal(options.journal, tell);
  const problem = (error: unknown): void => {
    journal.write({ kind: 'problem', atMs: atMs(), message: describeProblem(error) });
    tell(error);
  };
  const attached = new Set<Held>();
  const listed = new Map<string, Rule>();
  const firedBefore = new Map<string, number>();
  let callsBefore = 0;
  let isStopped = false;
  const used = new Set<string>();
  const nameSession = createSessionNames();
  const operationKey = crypto.getRandomValues(new Uint8Array(HASH_KEY_BYTES));

  const decider = createDecider({
    plan,
    random: options.random ?? keyedRandom(plan.seed),
    transport: options.transport,
    startedAtMs,
    observesAll: options.observesAll === true,
    ...(options.learnsTools === undefined ? {} : { learnsTools: options.learnsTools }),
  });
  const controller = createController({
    plan,
    decider,
    clock: options.backgroundClock,
    catalogue,
    guarded,
    journal: journal.write,
    startedAtMs: options.backgroundClock.nowMs(),
    release: () => {
      for (const one of attached) one.release();
    },
    endRules(ruleIds) {
      for (const one of attached) one.endRules(ruleIds);
    },
    accept(rule) {
      const refusal = whyNowhere(rule, [...attached], catalogue);
      if (refusal !== undefined) throw refusal;
      listed.set(rule.id, rule);
    },
  });
  for (const rule of plan.rules) listed.set(rule.id, rule);

  const fired = (id: string): number => [...attached].reduce((sum, one) => sum + (one.fired.get(id) ?? 0), firedBefore.get(id) ?? 0);

  const alive = (): void => {
    if (isStopped) throw new ToolquakeError('STOPPED', { message: 'The run has ended.', advice: 'Start another one with startPlan.' });
  };

  const attach = (given: AttachOptions): Attachment => {
    alive();
    const { target, label, transport } = given;
    const suffix = target === undefined || options.isAlone === true ? undefined : target;
    const site = siteOf(given);
    const sessions = new Set<Session>();
    const isNamed = label === undefined;
    // Clients of one target are counted apart from those of another, so that no draw depends on who came first.
    const performer = createPerformer({
      decider,
      clock,
      ends: given.ends,
      transport,
      journal: journal.write,
      startedAtMs,
      operationKey,
      nameSession: isNamed ? (name) => nameSession(suffix === undefined ? name : `${name}@${suffix}`) : undefined,
      onProblem: problem,
    });
    let isDetached = false;
    const end = (session: Session): void => {
      if (sessions.delete(session)) performer.close(session);
    };
    const release = (): void => {
      attempt(given.thaw, problem);
      performer.release();
    };
    const endRules = (ruleIds: readonly string[]): void => {
      if (performer.endRules(ruleIds)) attempt(given.thaw, problem);
    };
    const detach = (): void => {
      if (isDetached) return;
      isDetached = true;
      release();
      for (const session of sessions) end(session);
      attempt(given.restore, problem);
      for (const [id, count] of performer.fired) firedBefore.set(id, (firedBefore.get(id) ?? 0) + count);
      callsBefore += performer.calls;
      attached.delete(held);
    };
    const held: Held = { site, target, detach, release, endRules, fired: performer.fired };
    attached.add(held);
    return {
      get isActive() {
        return guarded === undefined && !isDetached;
      },
      clock,
      performer,
      get plan() {
        return decider.plan;
      },
      begin({ era } = {}) {
        const session = startSession({ label: label ?? suffix ?? 'default', target, era, site });
        sessions.add(session);
        return session;
      },
      end,
      problem,
      detach,
    };
  };

  const drop = (ids: readonly string[]): void => {
    for (const id of ids) if (used.delete(id)) controller.clear(id);
  };

  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    decider.suspend();
    controller.clearAll();
    // Last in, first out: a patch over a patch comes off first.
    for (const one of [...attached].toReversed()) one.detach();
    journal.write({
      kind: 'end',
      atMs: atMs(),
      fired: Object.fromEntries([...listed.keys()].map((id) => [id, fired(id)])),
      calls: callsBefore,
    });
    journal.close();
  };

  journal.write({
    v: JOURNAL_VERSION,
    kind: 'start',
    atMs: 0,
    transport: options.transport,
    seed: plan.seed,
    rules: listedRules(plan.rules),
    startedAt: new Date().toISOString(),
    ...(options.target === undefined ? {} : { target: options.target }),
    ...(plan.task.deadlineMs === undefined ? {} : { deadlineMs: plan.task.deadlineMs }),
    ...(guarded === undefined ? {} : { guarded }),
  });

  if (guarded !== undefined)
    tell(new ToolquakeError('NOT_ALLOWED', { message: `Nothing is injected ${options.into ?? 'here'}: ${guarded}.` }));

  return {
    ...controller,
    get plan() {
      return controller.plan;
    },
    get isKilled() {
      return controller.isKilled;
    },
    inject(rule, durationMs) {
      alive();
      return controller.inject(rule, durationMs);
    },
    replacePlan(next) {
      alive();
      controller.replacePlan(next);
    },
    revive() {
      alive();
      controller.revive();
    },
    guarded,
    get isStopped() {
      return isStopped;
    },
    clock,
    journal: journal.entries,
    listen: journal.listen,
    fired,
    whyNever(id) {
      const rule = listed.get(id);
      return rule === undefined ? undefined : whyNowhere(rule, [...attached], catalogue)?.message;
    },
    use(rules) {
      alive();
      const added: string[] = [];
      try {
        // The latest comes first, so the first of a list is added last.
        for (const rule of [rules].flat().toReversed() as JsonObject[]) {
          const id = controller.inject(rule, Infinity);
          added.push(id);
          used.add(id);
        }
      } catch (error) {
        drop(added);
        throw error;
      }
      return () => drop(added);
    },
    restore: () => drop([...used]),
    attach,
    stop,
    [Symbol.asyncDispose]: async () => stop(),
  };
}

/** One that fails must not stop the others. */
function attempt(action: (() => void) | undefined, onProblem: (error: unknown) => void): void {
  try {
    action?.();
  } catch (error) {
    onProblem(error);
  }
}
