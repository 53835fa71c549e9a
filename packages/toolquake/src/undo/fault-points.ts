/** Where a test may kill us. The writers of the ledger name the points themselves, so that a sweep finds new ones without being told. */
import { appendFileSync } from 'node:fs';

/** The points that a process passes. */
export type FaultPoints = {
  /** Ends this process with SIGKILL if it is told to die here. */
  pass(name: string): void;
  /** Whether it is to die here: only then is a line written in two halves. */
  isDeadly(name: string): boolean;
};

/** Variable that names the points to die at, separated by semicolons: `runner intent 2 torn`. */
export const FAULT_POINT_VARIABLE = 'TOOLQUAKE_FAULT_POINT';
/** Variable that names a file which gets the name of every point passed. */
export const FAULT_POINT_LOG_VARIABLE = 'TOOLQUAKE_FAULT_POINT_LOG';

/** Points as the environment says; `who` comes before each name. */
export function faultPointsOf(env: Readonly<Record<string, string | undefined>>, who: string): FaultPoints {
  const deadly = (env[FAULT_POINT_VARIABLE] ?? '').split(';');
  const log = env[FAULT_POINT_LOG_VARIABLE];
  return {
    pass(name) {
      const full = `${who} ${name}`;
      if (log !== undefined && log !== '') appendFileSync(log, `${full}\n`);
      if (deadly.includes(full)) process.kill(process.pid, 'SIGKILL');
    },
    isDeadly: (name) => deadly.includes(`${who} ${name}`),
  };
}
