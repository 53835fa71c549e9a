/** A target with all that gates are to know of it. */
import type { ProbePlan } from '../core/expectation.js';
import type { TargetDefinition } from '../targets/target.js';

/** One entry of toolquake.yaml, of an imported config, or of the command line. */
export type ConfiguredTarget = {
  readonly target: TargetDefinition;
  readonly plan: ProbePlan;
  /** The lock file of its manifest. */
  readonly manifest: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
};
