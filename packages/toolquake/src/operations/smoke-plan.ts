/** What a smoke test is told. */
import type { ConfiguredTarget } from '../config/configured-target.js';
import type { Waiver } from '../gates/manifest/waivers.js';
import type { SmokeBudgets } from '../gates/smoke/smoke-report.js';
import type { ManifestSide } from './manifest-side.js';
import type { ProbeWorld } from '../targets/probe-target.js';

/** What is expected of the deployment. */
export type SmokePlan = {
  readonly configured: ConfiguredTarget;
  readonly lock: ManifestSide | undefined;
  readonly waivers: readonly Waiver[];
  readonly isStrict: boolean;
  readonly hellos: number;
  readonly expectedVersion: string | undefined;
  readonly requireAuth: boolean;
  readonly allowWrites: boolean;
  readonly waitMs: number;
  readonly budgets: SmokeBudgets;
};

/** What a smoke test needs of the world. */
export type SmokeWorld = Omit<ProbeWorld, 'controlUrl'>;
