/** One simulated run: a plan, an agent and a server on a virtual clock. The same options make the same journal, byte for byte. */
import {
  createDecider,
  createSketch,
  JOURNAL_VERSION,
  keyedRandom,
  listedRules,
  mersenneTwister,
  sequentialRandom,
  startSession,
  type Era,
  type JournalSink,
  type Plan,
  type RandomSource,
  type Tally,
} from '@toolquake/sdk/core';
import { createAgent, type Resilience } from './agent.js';
import { createLink } from './link.js';
import { isConformant, isUsable } from './reading.js';
import { createSimulatedServer, HEADLINE_TOOLS } from './server.js';
import { createVirtualClock } from './virtual-clock.js';

/** `keyed`: every draw from its own key, as live. `mersenne`: one sequence for all draws, comparable with CPython tools. */
export type RandomName = 'keyed' | 'mersenne';

/** What is simulated. */
export type SimulationOptions = {
  readonly plan: Plan;
  readonly seed: number;
  readonly random: RandomName;
  readonly tasks: number;
  readonly fanout: number;
  readonly resilience: Resilience | undefined;
  readonly tools?: readonly string[];
  /** Legacy unless told otherwise: every fault exists there. */
  readonly era?: Era;
  readonly serviceMs?: number;
  readonly deadlineMs?: number;
  readonly timeoutMs?: number;
  readonly journal?: JournalSink | undefined;
  /** Told in the journal, where one file holds several runs. */
  readonly label?: string;
  /** What the runs of one journal have in common, in its summaries. */
  readonly scenario?: string;
  /** Share of failed tasks on paper, where there is a formula. */
  readonly onPaper?: number | undefined;
};

/** What came of it. */
export type SimulationResult = {
  readonly tally: Tally;
  /** Deliveries per rule. */
  readonly fired: ReadonlyMap<string, number>;
  /** How much time passed in the simulated world. */
  readonly virtualMs: number;
  /** Tools whose breaker was still open at the end. */
  readonly openBreakers: readonly string[];
  readonly deceivedTasks: number;
};

/** A run that can be interrupted between events. */
export type Simulation = {
  /** Lets up to `maxEvents` events happen; the result once all tasks are done. */
  run(maxEvents?: number): SimulationResult | undefined;
  /** Share of the tasks that are done. */
  progress(): number;
};

/** Where the draws of a run come from. */
function randomSource(name: RandomName, seed: number): RandomSource {
  return name === 'keyed' ? keyedRandom(seed) : sequentialRandom(mersenneTwister(seed));
}

/** Prepares a run. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { plan, seed, journal, tools = HEADLINE_TOOLS, serviceMs = 20, era = 'legacy' } = options;
  const clock = createVirtualClock();
  const { tasks, fanout, resilience, deadlineMs = 1000, timeoutMs = 60_000 } = options;
  const agent = createAgent({ clock, tasks, fanout, tools, era, resilience, deadlineMs, timeoutMs });
  const decider = createDecider({
    plan,
    random: randomSource(options.random, seed),
    transport: 'simulator',
    startedAtMs: 0,
    observesAll: journal !== undefined,
  });
  const link = createLink({
    clock,
    createServer: ({ answer }) => createSimulatedServer({ clock, tools, serviceMs, answer }),
    decider,
    // Stable, as a client that introduces itself as "agent" would be called first.
    session: startSession({ label: 'agent#1', target: 'simulated', era }),
    journal,
    roundTripMs: 1,
    judge: (result) => ({ isConformant: isConformant(result), isUsable: isUsable(result) }),
    listener: agent.hear,
    // Nobody else is hurt by a fault that throws, so the run may as well fail loudly.
    onProblem: (error) => {
      throw error;
    },
  });
  journal?.({
    v: JOURNAL_VERSION,
    kind: 'start',
    atMs: 0,
    transport: 'simulator',
    seed,
    rules: listedRules(plan.rules),
    target: options.label ?? 'simulated',
  });
  agent.start(link);
  let events = 0;
  let result: SimulationResult | undefined;

  const finish = (): SimulationResult => {
    link.close();
    const { fired, calls } = link.performer;
    const counts = Object.fromEntries(plan.rules.map(({ id }) => [id, fired.get(id) ?? 0]));
    agent.tally.executed = link.server.executed();
    journal?.({
      kind: 'summary',
      atMs: clock.nowMs(),
      scenario: options.scenario ?? 'plan',
      variant: options.label ?? (resilience === undefined ? 'no resilience' : 'with resilience'),
      point: {},
      seed,
      tally: agent.tally,
      deceivedTasks: agent.deceivedTasks(),
      // This agent is measured by its calls, which are in the journal one by one.
      latency: {},
      taskLatency: createSketch().toJSON(),
      figures: { openBreakers: agent.openBreakers().length },
      ...(options.onPaper === undefined ? {} : { onPaper: options.onPaper }),
      events,
    });
    journal?.({ kind: 'end', atMs: clock.nowMs(), fired: counts, calls });
    return {
      tally: agent.tally,
      fired,
      virtualMs: clock.nowMs(),
      openBreakers: agent.openBreakers(),
      deceivedTasks: agent.deceivedTasks(),
    };
  };

  return {
    progress: () => agent.tally.tasks / tasks,
    run(maxEvents = Number.POSITIVE_INFINITY) {
      for (let count = 0; !agent.isDone(); count++) {
        if (count >= maxEvents) return undefined;
        if (!clock.step()) throw new Error('The simulation stopped before its agent was done.');
        events++;
      }
      result ??= finish();
      return result;
    },
  };
}

/** A whole run at once. */
export function simulate(options: SimulationOptions): SimulationResult {
  return createSimulation(options).run()!;
}
