/** An agent of a simulated system: tasks arrive or follow each other; each is a number of steps that call tools. */
import { countTask, createSketch, startTally } from '@toolquake/sdk/core';
import type { RandomSource, Sketch, Tally } from '@toolquake/sdk/core';
import { createDefences } from './caller-defences.js';
import { stepsOf } from './check-system.js';
import type { Hearing } from './link.js';
import { createOperations, type Attempt, type Ending, type Operation, type Road } from './operation.js';
import type { Registry } from './registry.js';
import type { AgentSpec } from './topology-fields.js';
import type { ValueAt } from './topology.js';
import type { VirtualClock } from './virtual-clock.js';
import type { Watch } from './watch.js';

/** A task under way. */
type Task = {
  readonly name: string;
  readonly startedAtMs: number;
  step: number;
  /** Operations started so far. */
  started: number;
  /** Its next step is about to begin: whatever ends meanwhile must not begin another. */
  isStepping: boolean;
  /** Operations of this step, and how many of them are not over. */
  operations: Operation<Task>[];
  left: number;
  isFailed: boolean;
  isDegraded: boolean;
  isDeceived: boolean;
  isOver: boolean;
};

/** What a caller works with. */
export type CallerOptions = {
  readonly name: string;
  readonly spec: AgentSpec;
  readonly clock: VirtualClock;
  readonly random: RandomSource;
  readonly registry: Registry;
  readonly roadTo: (server: string) => Road;
  /** Tools where doing an operation twice does harm. */
  readonly isWrite: (tool: string) => boolean;
  readonly watch: Watch;
  /** Nothing more begins after this time. */
  readonly lastsMs: number | undefined;
};

/** What a caller counted besides its tally. */
export type CallerResults = {
  readonly deceivedTasks: number;
  readonly turnedAway: number;
  readonly misrouted: number;
  readonly openBreakers: readonly string[];
};

/** See the module comment. */
export type Caller = {
  start(): void;
  hear(attempt: Attempt, hearing: Hearing, isFaulted: boolean): void;
  /** Gives everything up that is still under way. */
  stop(): void;
  set(key: string, valueAt: ValueAt): void;
  get(key: string): number | boolean;
  isDone(): boolean;
  inFlight(): number;
  tasksOpen(): number;
  progress(nowMs: number): number;
  readonly tally: Tally;
  readonly latency: ReadonlyMap<string, Sketch>;
  readonly taskLatency: Sketch;
  results(): CallerResults;
};

/** Creates an agent; nothing happens before `start`. */
export function createCaller(options: CallerOptions): Caller {
  const { name, spec, clock, random, watch, lastsMs } = options;
  const tally = startTally({ knowsExecutions: true });
  const defences = createDefences(name, spec, random);
  const steps = stepsOf(spec);
  const operationsPerTask = steps.reduce((sum, tools) => sum + tools.length, 0);
  const taskLatency = createSketch();
  const arrivals = random.stream('arrivals', name);
  const running = new Set<Task>();
  let hasArrivals = spec.perSecond !== undefined;
  let perSecond = spec.perSecond ?? 0;
  /** Arrivals drawn so far; the last is the one that is awaited. */
  let arrived = 0;
  /** Tasks to do; 0 where they arrive by themselves. */
  let wanted = spec.tasks ?? 0;
  /** Tasks that have begun or will in a moment. */
  let planned = 0;
  let numbered = 0;
  let deceivedTasks = 0;
  let turnedAway = 0;

  const isPastEnd = (): boolean => lastsMs !== undefined && clock.nowMs() >= lastsMs;

  const scheduleArrival = (): void => {
    const gapMs = (-1000 / perSecond) * Math.log(1 - arrivals.draw(++arrived, 0));
    clock.deliver(gapMs, arrive, arrived, undefined);
  };

  const arrive = (number: number): void => {
    // The rate changed while it was awaited, and another was drawn in its place.
    if (number !== arrived) return;
    if (isPastEnd()) hasArrivals = false;
    if (!hasArrivals) return;
    if (running.size < spec.concurrency) beginTask();
    else turnAway();
    scheduleArrival();
  };

  const turnAway = (): void => {
    turnedAway++;
    countTask(tally, 'failed');
    watch.taskEnded(true);
    watch.mark('turned-away', name);
  };

  /** A moment later: a task that ends must not begin the next one in the middle of its own end. */
  const planTask = (): void => {
    planned++;
    clock.deliver(0, beginTask, undefined, undefined);
  };

  const beginTask = (): void => {
    const task: Task = {
      name: `${name}-${++numbered}`,
      startedAtMs: clock.nowMs(),
      step: -1,
      started: 0,
      isStepping: false,
      operations: [],
      left: 0,
      isFailed: false,
      isDegraded: false,
      isDeceived: false,
      isOver: false,
    };
    running.add(task);
    watchTask?.(task, undefined);
    nextStep(task);
  };

  /** In a loop: operations that are refused end at once, and a task may have thousands of them. */
  const nextStep = (task: Task): void => {
    if (task.isStepping) return;
    task.isStepping = true;
    do startStep(task);
    while (task.left === 0 && !task.isOver);
    task.isStepping = false;
  };

  const startStep = (task: Task): void => {
    task.step++;
    const tools = steps[task.step];
    if (tools === undefined) return endTask(task);
    task.left = tools.length;
    task.operations = [];
    const untilMs = spec.taskDeadline === undefined ? Number.POSITIVE_INFINITY : task.startedAtMs + spec.taskDeadline;
    for (const tool of tools) {
      const number = task.started++;
      task.operations.push(operations.start({ owner: task, key: `${task.name}/${number}`, task: task.name, untilMs, number, tool }));
    }
  };

  const onEnd = ({ owner: task, number, isFallback }: Operation<Task>, ending: Ending): void => {
    if (ending === 'wrong') task.isDeceived = true;
    if (ending === 'failed' && number < operationsPerTask - spec.spareSteps) task.isFailed = true;
    else if (ending === 'failed' || isFallback) task.isDegraded = true;
    if (--task.left === 0 && !task.isOver) nextStep(task);
  };

  const operations = createOperations<Task>({ ...options, defences, tally, onEnd });

  const endTask = (task: Task): void => {
    if (task.isOver) return;
    task.isOver = true;
    task.operations = [];
    running.delete(task);
    countTask(tally, task.isFailed ? 'failed' : task.isDegraded ? 'degraded' : 'complete');
    watch.taskEnded(task.isFailed);
    if (task.isDeceived && !task.isFailed) deceivedTasks++;
    taskLatency.add(clock.nowMs() - task.startedAtMs);
    if (isPastEnd()) wanted = planned;
    if (planned < wanted) planTask();
  };

  const giveTaskUp = (task: Task): void => {
    if (task.isOver) return;
    task.isFailed = true;
    for (const operation of task.operations) operations.abandon(operation);
    endTask(task);
  };
  const watchTask =
    spec.taskDeadline === undefined ? undefined : clock.lane<Task, undefined>(spec.taskDeadline, giveTaskUp, ({ isOver }) => isOver);

  return {
    start() {
      if (hasArrivals) return scheduleArrival();
      while (planned < Math.min(spec.concurrency, wanted)) planTask();
    },
    // Attempts come back from where this agent sent them.
    hear: (attempt, hearing, isFaulted) => operations.hear(attempt as Attempt<Task>, hearing, isFaulted),
    stop() {
      hasArrivals = false;
      wanted = planned;
      for (const task of running) giveTaskUp(task);
    },
    set(_key, valueAt) {
      perSecond = valueAt(0) as number;
      // Arrivals have no memory: the wait for the next may begin anew.
      if (hasArrivals && arrived > 0) scheduleArrival();
    },
    get: () => perSecond,
    isDone: () => !hasArrivals && running.size === 0 && tally.tasks >= wanted,
    inFlight: operations.inFlight,
    tasksOpen: () => running.size,
    progress: (nowMs) => Math.min(1, spec.tasks === undefined ? nowMs / (lastsMs ?? 1) : tally.tasks / spec.tasks),
    tally,
    latency: operations.latency,
    taskLatency,
    results: () => ({ deceivedTasks, turnedAway, misrouted: operations.misrouted(), openBreakers: defences.openBreakers() }),
  };
}
