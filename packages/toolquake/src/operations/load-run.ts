/** What every live run has in common: plan, guard, decider, journal, and the words at the end. Proxies only perform. */
import {
  createCatalogue,
  createDecider,
  createLiveDecider,
  describeProblem,
  EMPTY_PLAN,
  JOURNAL_VERSION,
  listedRules,
  keyedRandom,
  ToolquakeError,
  type Catalogue,
  type Clock,
  type Decider,
  type JournalSink,
  type Performer,
  type Plan,
} from '@toolquake/sdk/core';
import { randomBytes } from 'node:crypto';
import { openAdmin } from './open-admin.js';
import { openJournal } from './journal-file.js';
import { createRuleRoll } from './rule-roll.js';
import { journalPlace } from './run-directory.js';
import { productionWitness, realClock } from '@toolquake/sdk/interceptors';

/** What a live run is made from. */
export type LiveRunOptions = {
  readonly transport: 'stdio' | 'http' | 'tcp';
  readonly planPath?: string | undefined;
  /** A plan that is loaded already, instead of a file. */
  readonly plan?: Plan | undefined;
  /** Takes the place of the plan's own seed. */
  readonly seed?: number | undefined;
  readonly journalPath?: string | undefined;
  /** A journal of its own in this folder instead; also named by the environment. */
  readonly runDirectory?: string | undefined;
  readonly target?: string | undefined;
  /** Opens the admin routes on this loopback port; 0 takes any free one. */
  readonly adminPort?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hears of every entry of the journal, whether or not there is a file. */
  readonly onEntry?: JournalSink | undefined;
  /** One line for people, on stderr. */
  readonly tell: (line: string) => void;
};

/** Mistakes of our own that are told on stderr; the journal has all of them. */
const MAX_TOLD = 100;

/** What control needs of a performer. */
export type Controlled = Pick<Performer, 'release' | 'fired'> & { endRules(ruleIds: readonly string[]): unknown } & Partial<
    Pick<Performer, 'waiting'>
  >;

/** A run that is ready to start: nothing was changed yet but the journal, which is open. */
export type LiveRun = {
  /** The plan as performed: without rules when the run is guarded. */
  readonly plan: Plan;
  readonly decider: Decider;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly journal: JournalSink;
  /** Tells in the journal which calls ask for the same; not written there itself. */
  readonly operationKey: Uint8Array | undefined;
  /** Rules may come later, through the admin routes. */
  readonly mayChange: boolean;
  /** Where the admin routes are; undefined when nobody asked for them. */
  readonly adminUrl: string | undefined;
  /** The performer whose held messages a kill switch lets go. */
  control(performer: Controlled): void;
  /** Records a mistake of our own; the traffic goes on. */
  readonly onProblem: (error: unknown) => void;
  /** Writes the end entry, closes the journal, and tells which rules fired. */
  finish(performer: Pick<Performer, 'fired' | 'calls'>): Promise<void>;
  /** The run could not start: leaves nothing behind. */
  abandon(): void;
};

/** Loads the plan, asks the guard and opens the journal. Throws a `ToolquakeError` before anything was started. */
export async function loadRun(options: LiveRunOptions): Promise<LiveRun> {
  const { transport, tell, target } = options;
  const loaded = await planOf(options);
  const guarded = loaded.rules.length === 0 ? undefined : productionWitness(options.env);
  const plan: Plan = guarded === undefined ? loaded : { ...loaded, rules: [] };
  if (guarded !== undefined) tell(`${guarded}: nothing is injected, all traffic passes untouched.`);

  const token = options.adminPort === undefined ? undefined : adminToken(options.env);
  const { path, operationKey, shared } = journalPlace(options);
  const file = path === undefined ? undefined : openJournal(path, tell);
  const clock = realClock;
  const startedAtMs = clock.nowMs();
  const startedAt = new Date().toISOString();
  // Some clients start a server command twice, and both write to the file that was named.
  const run = randomBytes(4).toString('hex');
  const told = new Set<string>();
  const roll = createRuleRoll(plan);
  let admin: Awaited<ReturnType<typeof openAdmin>> | undefined;
  let hasStarted = false;
  let isOver = false;
  // The start is written with the first entry, so that a run that fails to start leaves no trace.
  const journal: JournalSink = (entry) => {
    // What comes after the end belongs to no run.
    if (isOver) return;
    isOver = entry.kind === 'end';
    if (!hasStarted) {
      hasStarted = true;
      file?.append({
        v: JOURNAL_VERSION,
        kind: 'start',
        atMs: 0,
        run,
        transport,
        seed: loaded.seed,
        rules: listedRules(loaded.rules),
        ...(target === undefined ? {} : { target }),
        startedAt,
        ...(guarded === undefined ? {} : { guarded }),
        ...shared,
        ...(loaded.task.deadlineMs === undefined ? {} : { deadlineMs: loaded.task.deadlineMs }),
        ...(Object.keys(loaded.expect.measures).length === 0 ? {} : { expect: loaded.expect.measures }),
      });
    }
    if (entry.kind === 'control') roll.note(entry);
    file?.append({ ...entry, run });
    admin?.observe(entry);
    options.onEntry?.(entry);
  };

  const mayChange = token !== undefined;
  const observesAll = file !== undefined || mayChange || options.onEntry !== undefined;
  const world = { plan, random: keyedRandom(plan.seed), transport, startedAtMs, observesAll };
  let controlled: Controlled | undefined;
  let decider: Decider;
  if (token === undefined) decider = createDecider(world);
  else {
    const live = createLiveDecider(world);
    decider = live;
    admin = await openAdmin({
      ...world,
      decider: live,
      clock,
      token,
      port: options.adminPort ?? 0,
      seed: options.seed,
      target,
      guarded: productionWitness(options.env),
      journal,
      release: () => controlled?.release(),
      endRules: (ruleIds) => void controlled?.endRules(ruleIds),
      fired: (id) => controlled?.fired.get(id) ?? 0,
      waiting: () => controlled?.waiting?.(),
    }).catch((error: unknown) => {
      file?.abandon();
      throw error;
    });
    tell(`admin routes on ${admin.url}`);
  }

  return {
    plan,
    decider,
    mayChange,
    adminUrl: admin?.url,
    control(performer) {
      controlled = performer;
    },
    clock,
    startedAtMs,
    journal,
    operationKey,
    onProblem(error) {
      const message = describeProblem(error);
      journal({ kind: 'problem', atMs: clock.nowMs() - startedAtMs, message });
      // The same mistake on every call is told once.
      if (told.has(message) || told.size >= MAX_TOLD) return;
      told.add(message);
      tell(`our own mistake, the traffic goes on untouched: ${message}`);
    },
    async finish(performer) {
      const fired = { ...Object.fromEntries(loaded.rules.map(({ id }) => [id, 0])), ...roll.counts(performer.fired) };
      journal({ kind: 'end', atMs: clock.nowMs() - startedAtMs, fired, calls: performer.calls });
      // After the last entry, so that listeners see how it ended.
      await admin?.close();
      await file?.close();
      for (const line of roll.summary(performer.fired)) tell(line);
    },
    abandon() {
      void admin?.close();
      file?.abandon();
    },
  };
}

/** The admin routes are closed without a token, so there is no point in opening them. */
function adminToken(env: LiveRunOptions['env']): string {
  const token = env['TOOLQUAKE_ADMIN_TOKEN'] || env['CHAOS_ADMIN_TOKEN'];
  if (token !== undefined && token !== '') return token;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: '--admin-port needs a token, and there is none.',
    advice: 'Set TOOLQUAKE_ADMIN_TOKEN (or CHAOS_ADMIN_TOKEN) to a secret; callers send it as "Authorization: Bearer SECRET".',
  });
}

async function planOf(options: LiveRunOptions): Promise<Plan> {
  const plan = options.plan ?? (options.planPath === undefined ? EMPTY_PLAN : await loadPlanFile(options.planPath, options.transport));
  return options.seed === undefined ? plan : { ...plan, seed: options.seed };
}

/** The loader brings a YAML parser and every fault: a proxy without a plan starts without them. */
async function loadPlanFile(path: string, transport: LiveRunOptions['transport']): Promise<Plan> {
  const [{ loadPlan }, faults] = await Promise.all([import('../config/load-plan.js'), import('@toolquake/sdk/faults')]);
  const catalogue: Catalogue = createCatalogue(faults);
  return loadPlan(path, { catalogue, transport });
}
