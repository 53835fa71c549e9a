/** Graceful degradation: a task goes on without the steps it can do without, and says that it did. */

/** Which steps a task can do without. `step` counts from 0. */
export type StepSelector = (step: number, steps: number) => boolean;

/** The last `count` steps of a task: the usual place for what is nice to have. */
export function lastSteps(count: number): StepSelector {
  return (step, steps) => step >= steps - count;
}

/** `complete`: every step worked. `degraded`: only steps that the task can do without failed. */
export type TaskOutcome = 'complete' | 'degraded' | 'failed';

/** The state of one task. */
export type GracefulDegradation = {
  /** Forgets the last task and starts one of `steps` steps. */
  begin(steps: number): void;
  /** A step failed for good. */
  recordFailure(step: number): void;
  /** How the task stands. */
  outcome(): TaskOutcome;
};

/** Starts the machine. With no selector every step is needed. */
export function createGracefulDegradation(isSpare: StepSelector = () => false): GracefulDegradation {
  let steps = 0;
  let outcome: TaskOutcome = 'complete';
  return {
    begin(count) {
      steps = count;
      outcome = 'complete';
    },
    recordFailure(step) {
      if (!isSpare(step, steps)) outcome = 'failed';
      else if (outcome === 'complete') outcome = 'degraded';
    },
    outcome: () => outcome,
  };
}
