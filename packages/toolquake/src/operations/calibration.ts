/** Measures how fast this machine is, before a run that will be compared with runs of other machines. */
import { join } from 'node:path';
import { measureRun, warmUp, type MeasureOptions } from '../gates/latency/measure.js';
import { packageFolder } from '../config/shipped-scenarios.js';
import { withBenchTargets, type BenchWorld } from './bench-target.js';

const WARM_UP_CALLS = 20;
const CALLS = 100;
const WORK = { tool: 'work', arguments: {} };

/** How many calls that takes, for progress. */
export const CALIBRATION_CALLS: number = WARM_UP_CALLS + CALLS;

/** Resolves to the latencies of the calibration workload. */
export async function calibrate(world: BenchWorld, options: MeasureOptions): Promise<readonly number[]> {
  const command = [process.execPath, join(packageFolder(), 'dist/calibration-server.js')];
  // Without pauses: a machine that dozes off between calls measures its own waking up.
  const eager = { ...options, paceMs: 0 };
  return withBenchTargets([{ name: 'calibration', kind: 'command', command, era: 'legacy' }], world, async ([target]) => {
    await warmUp(WORK, target!.caller, WARM_UP_CALLS, 'calibration', eager);
    return measureRun(WORK, target!.caller, CALLS, 'calibration', eager);
  });
}
