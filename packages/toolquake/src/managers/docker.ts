import { readFileSync } from 'node:fs';
import { isObject, member, ToolquakeError } from '@toolquake/sdk/core';
import { checkedName } from './manager-names.js';
import type { EndSignal, ManagerWorld, ProcessManager, RestartPolicy } from './process-manager.js';
import { runningProcesses, type RunningProcess } from './process-table.js';
import { runProgram } from './run-program.js';

/** What `docker inspect` says of a container: only what is needed, since the whole holds its environment. */
export type DockerContainer = {
  readonly id: string;
  /** 0 while it does not run; counted by the host of the daemon. */
  readonly pid: number;
  readonly status: string;
  readonly startedAtMs: number;
  readonly restartPolicy: string;
  readonly restarts: number;
};

const FORMAT =
  '[{{json .Id}},{{json .State.Pid}},{{json .State.Status}},{{json .State.StartedAt}},{{json .HostConfig.RestartPolicy}},{{json .RestartCount}}]';

/** Reads what `docker inspect` printed for the format above; nothing when it is something else. */
export function parseDockerContainer(output: string): DockerContainer | undefined {
  try {
    const values: unknown = JSON.parse(output.trim());
    if (!Array.isArray(values)) return undefined;
    const [id, pid, status, startedAt, policy, restarts] = values as unknown[];
    if (typeof id !== 'string' || !/^[0-9a-f]{12,64}$/.test(id)) return undefined;
    if (!Number.isSafeInteger(pid) || typeof status !== 'string' || !/^[a-z]{1,20}$/.test(status)) return undefined;
    const name = isObject(policy) ? member(policy, 'Name') : undefined;
    return {
      id,
      pid: Number(pid),
      status,
      startedAtMs: typeof startedAt === 'string' ? Date.parse(startedAt) : Number.NaN,
      restartPolicy: typeof name === 'string' && /^[a-z-]{1,20}$/.test(name) ? name : 'no',
      restarts: Number.isSafeInteger(restarts) ? Number(restarts) : 0,
    };
  } catch {
    return undefined;
  }
}

/** A container of the Docker daemon on this host. */
export function openDocker(given: string, world: ManagerWorld): ProcessManager {
  const name = checkedName('docker', given);
  const about = `Docker "${name}"`;
  const noAnswer = (why: string): ToolquakeError => new ToolquakeError('UPSTREAM_UNREACHABLE', { message: `${about}: ${why}.` });
  const inspect = async (): Promise<DockerContainer | undefined> => {
    const { code, stdout, stderr } = await runProgram('docker', ['inspect', '--type', 'container', '--format', FORMAT, '--', name], world);
    if (code !== 0 && /no such (container|object)/i.test(stderr)) return undefined;
    const container = code === 0 ? parseDockerContainer(stdout) : undefined;
    if (container === undefined) throw noAnswer(`"docker inspect" did not describe it (exit code ${code}); is the daemon running`);
    return container;
  };
  const act = async (verb: 'start' | 'restart'): Promise<void> => {
    const { code } = await runProgram('docker', [verb, '--', name], world);
    if (code !== 0) throw noAnswer(`"docker ${verb}" ended with exit code ${code}`);
  };
  return {
    spec: { kind: 'docker', name },
    variables: {},
    about,
    async look() {
      const container = await inspect();
      if (container === undefined) return { processes: [], expected: 0 };
      const processes = runningProcesses([container.pid]);
      if (container.status === 'running' && !processes.every((one) => isOf(container, one)))
        throw noAnswer(`its process ${container.pid} is not a process of this host; is the daemon on another one`);
      return {
        processes,
        expected: 1,
        isGivenUp: container.status === 'exited' || container.status === 'dead',
        restarts: container.restarts,
      };
    },
    restartPolicy: async (signal) => dockerPolicy(await inspect(), signal),
    start: () => act('start'),
    restart: () => act('restart'),
  };
}

/** What Docker does when the first process of the container ends by this signal. Pure. */
export function dockerPolicy(container: DockerContainer | undefined, signal: EndSignal): RestartPolicy {
  if (container === undefined) return { restarts: false, why: 'Docker knows no such container' };
  const { status, restartPolicy } = container;
  if (status !== 'running') return { restarts: false, why: `the container is ${status}, not running` };
  if (restartPolicy === 'always' || restartPolicy === 'unless-stopped' || (restartPolicy === 'on-failure' && signal === 'KILL')) {
    return { restarts: true, why: `its restart policy is ${restartPolicy}` };
  }
  if (restartPolicy !== 'on-failure') return { restarts: false, why: `its restart policy is ${restartPolicy}` };
  return {
    restarts: false,
    why: `its restart policy is on-failure, and a server that handles SIG${signal} ends without one (signal: KILL)`,
  };
}

/** A pid of a daemon elsewhere would hit a stranger here: the control group names the container, or at least its age agrees. */
function isOf({ id, startedAtMs }: DockerContainer, { identity, uptimeMs }: RunningProcess): boolean {
  try {
    if (readFileSync(`/proc/${identity.pid}/cgroup`, 'utf8').includes(id)) return true;
  } catch {
    return false;
  }
  return Math.abs(Date.now() - uptimeMs - startedAtMs) < 2000;
}
