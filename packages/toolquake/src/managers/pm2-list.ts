/** The list that `pm2 jlist` prints. Lines of other kinds may stand around it, and it holds the environment of every server: only what is named here is read. */
import { isObject, member } from '@toolquake/sdk/core';

/** One process of PM2. */
export type Pm2Process = {
  readonly id: number;
  readonly name: string;
  /** 0 while it does not run. */
  readonly pid: number;
  readonly status: string;
  /** False when PM2 leaves it alone once it ended. */
  readonly isRestarted: boolean;
  readonly restarts: number;
  readonly unstableRestarts: number;
  readonly maxRestarts: number;
  readonly minUptimeMs: number;
  readonly stopExitCodes: readonly number[];
};

/** What PM2 itself takes where nothing is set. */
const DEFAULT_MAX_RESTARTS = 16;
const DEFAULT_MIN_UPTIME_MS = 1000;

/** Every process in the output; nothing when there is no list in it. */
export function parsePm2List(output: string): readonly Pm2Process[] | undefined {
  // The list is one line of JSON. A notice before it may begin with a bracket, too: "[PM2] Spawning daemon".
  for (const line of output.split('\n').toReversed()) {
    const start = line.indexOf('[{') >= 0 ? line.indexOf('[{') : line.indexOf('[]');
    if (start < 0) continue;
    try {
      const list: unknown = JSON.parse(line.slice(start).trim());
      if (Array.isArray(list)) return list.flatMap((one: unknown) => readProcess(one) ?? []);
    } catch {
      // Not the list: the next line may be.
    }
  }
  return undefined;
}

function readProcess(value: unknown): Pm2Process | undefined {
  if (!isObject(value)) return undefined;
  const given = member(value, 'pm2_env');
  const settings = isObject(given) ? given : {};
  const [id, name] = [member(settings, 'pm_id') ?? member(value, 'pm_id'), member(value, 'name')];
  if (!isCount(id) || typeof name !== 'string') return undefined;
  const pid = member(value, 'pid');
  const codes = member(settings, 'stop_exit_codes');
  const status = member(settings, 'status');
  return {
    id,
    name,
    // While PM2 waits before it starts a server again, it still tells which process has ended.
    pid: isCount(pid) && status !== 'waiting restart' ? pid : 0,
    status: typeof status === 'string' && /^[a-z ]{1,30}$/.test(status) ? status : 'unknown',
    isRestarted: member(settings, 'autorestart') !== false && member(settings, 'autorestart') !== 'false',
    restarts: count(member(settings, 'restart_time'), 0),
    unstableRestarts: count(member(settings, 'unstable_restarts'), 0),
    maxRestarts: count(member(settings, 'max_restarts'), DEFAULT_MAX_RESTARTS),
    minUptimeMs: count(member(settings, 'min_uptime'), DEFAULT_MIN_UPTIME_MS),
    stopExitCodes: (Array.isArray(codes) ? codes : [codes]).flatMap((code) => (isCode(code) ? [Number(code)] : [])),
  };
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const count = (value: unknown, otherwise: number): number => (isCount(value) ? value : otherwise);
const isCode = (value: unknown): boolean => (typeof value === 'number' || typeof value === 'string') && /^\d{1,3}$/.test(String(value));
