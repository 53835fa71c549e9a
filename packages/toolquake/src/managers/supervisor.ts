/** Finds out what stands behind a process that was named by its pid or its command: walks its parents, and reads its control group. */
import { readFileSync } from 'node:fs';
import { readStat } from '../undo/process-identity.js';
import { ancestorsOf, commandOf } from './process-table.js';

/** What was found. `foreign`: something that restarts its children, which we cannot ask. */
export type Supervisor =
  | { readonly kind: 'pm2'; readonly home: string }
  | { readonly kind: 'systemd' | 'docker'; readonly name: string }
  | { readonly kind: 'foreign'; readonly name: string; readonly pid: number };

/** Programs whose work it is to start their children again. */
const SUPERVISORS = ['runsv', 's6-supervise', 'supervise', 'supervisord', 'circusd'];

/** Nearest first: PM2 itself is often a service of systemd. */
export function supervisorOf(pid: number): Supervisor | undefined {
  for (const ancestor of ancestorsOf(pid)) {
    const home = pm2HomeOf(commandOf(ancestor));
    if (home !== undefined) return { kind: 'pm2', home };
    const name = readStat(ancestor)?.name;
    if (name !== undefined && SUPERVISORS.includes(name)) return { kind: 'foreign', name, pid: ancestor };
  }
  try {
    return parseControlGroup(readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The daemon of PM2 calls itself `PM2 v7.0.4: God Daemon (/home/x/.pm2)`. */
export const pm2HomeOf = (command: readonly string[]): string | undefined =>
  /^PM2 v[\w.-]+: God Daemon \((\/.*)\)$/.exec(command.join(' ').trim())?.[1];

/** The container or service that the text of /proc/PID/cgroup names. Services of a user's own systemd are not asked. */
export function parseControlGroup(text: string): Supervisor | undefined {
  const paths = text.split('\n').map((line) => line.split(':').slice(2).join(':'));
  for (const path of paths) {
    const container = /(?:^|\/)docker[/-]([0-9a-f]{64})(?:\.scope)?(?:\/|$)/.exec(path)?.[1];
    if (container !== undefined) return { kind: 'docker', name: container };
  }
  for (const path of paths) {
    const unit = /\/([A-Za-z0-9][A-Za-z0-9_.:@-]*\.service)$/.exec(path)?.[1];
    if (unit !== undefined && !path.includes('/user@')) return { kind: 'systemd', name: unit };
  }
  return undefined;
}
