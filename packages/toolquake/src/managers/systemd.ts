import { ToolquakeError } from '@toolquake/sdk/core';
import { checkedName } from './manager-names.js';
import type { EndSignal, ManagerWorld, ProcessManager, RestartPolicy } from './process-manager.js';
import { runningProcesses } from './process-table.js';
import { runProgram } from './run-program.js';

const PROPERTIES = ['LoadState', 'ActiveState', 'MainPID', 'Restart', 'NRestarts'] as const;

/** What `systemctl show` says of a unit. */
export type SystemdUnit = Readonly<Record<(typeof PROPERTIES)[number], string>>;

/** Reads lines of `NAME=value`; nothing when one that we need is not there. */
export function parseSystemdUnit(output: string): SystemdUnit | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  const values = PROPERTIES.map((name) => lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1));
  if (values.some((value) => value === undefined || !/^[A-Za-z0-9_.-]{0,60}$/.test(value))) return undefined;
  return Object.fromEntries(PROPERTIES.map((name, index) => [name, values[index] ?? ''])) as SystemdUnit;
}

/** A service of the system's systemd. */
export function openSystemd(given: string, world: ManagerWorld): ProcessManager {
  const name = checkedName('systemd', given);
  const unit = name.includes('.') ? name : `${name}.service`;
  const about = `systemd "${unit}"`;
  const noAnswer = (why: string): ToolquakeError => new ToolquakeError('UPSTREAM_UNREACHABLE', { message: `${about}: ${why}.` });
  const show = async (): Promise<SystemdUnit> => {
    const { code, stdout } = await runProgram('systemctl', ['show', `--property=${PROPERTIES.join(',')}`, '--', unit], world);
    const shown = code === 0 ? parseSystemdUnit(stdout) : undefined;
    if (shown === undefined) throw noAnswer(`"systemctl show" did not describe it (exit code ${code}); is systemd running here`);
    return shown;
  };
  const act = async (verb: 'start' | 'restart'): Promise<void> => {
    const { code } = await runProgram('systemctl', [verb, '--no-ask-password', '--', unit], world);
    if (code !== 0) throw noAnswer(`"systemctl ${verb}" ended with exit code ${code}; "systemctl status ${unit}" says why`);
  };
  return {
    spec: { kind: 'systemd', name },
    variables: {},
    about,
    async look() {
      const { LoadState, ActiveState, MainPID, NRestarts } = await show();
      const expected = LoadState === 'not-found' ? 0 : 1;
      const isGivenUp = ActiveState === 'inactive' || ActiveState === 'failed';
      return { processes: runningProcesses([Number(MainPID)]), expected, isGivenUp, restarts: Number(NRestarts) || 0 };
    },
    restartPolicy: async (signal) => systemdPolicy(await show(), signal),
    start: () => act('start'),
    restart: () => act('restart'),
  };
}

/** What systemd does when the main process ends by this signal. It takes SIGTERM and SIGINT for a clean end. Pure. */
export function systemdPolicy({ LoadState, ActiveState, Restart }: SystemdUnit, signal: EndSignal): RestartPolicy {
  if (LoadState === 'not-found') return { restarts: false, why: 'systemd knows no such unit' };
  if (ActiveState !== 'active') return { restarts: false, why: `the unit is ${ActiveState || 'in no known state'}, not active` };
  const always = Restart === 'always';
  const afterAbnormalEnd = ['on-failure', 'on-abnormal', 'on-abort'].includes(Restart);
  if (always || (signal === 'KILL' ? afterAbnormalEnd : Restart === 'on-success')) return { restarts: true, why: `Restart=${Restart}` };
  if (signal !== 'KILL' && afterAbnormalEnd) {
    return { restarts: false, why: `Restart=${Restart}, and an end by SIG${signal} is a clean one for systemd (signal: KILL is not)` };
  }
  return { restarts: false, why: `Restart=${Restart || 'no'}` };
}
