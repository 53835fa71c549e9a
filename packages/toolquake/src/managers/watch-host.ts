/** Samples of this host: how much of its memory (or of that of the container, where less of it is left) and of its processors is in use. */
import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { every } from './every.js';
import { cpuShare, groupMemoryShare, memoryShare, parseCpuTimes, type CpuTimes } from './host-share.js';
import type { WatchOptions } from './watch-process.js';

/** Resolves when the signal aborts. The share of the processors needs two looks, so the first sample comes with the second. */
export async function watchHost(options: WatchOptions): Promise<void> {
  let before: CpuTimes | undefined;
  await every(options, () => {
    const now = parseCpuTimes(textOf('/proc/stat'));
    const cpu = before === undefined || now === undefined ? undefined : cpuShare(before, now);
    before = now;
    const memory = Math.max(memoryShare(textOf('/proc/meminfo')) ?? 1 - freemem() / totalmem(), ...GROUPS.map(memoryOfGroup));
    if (cpu !== undefined && !options.signal.aborted) options.onSample({ source: 'host', atMs: options.nowMs(), memory, cpu });
  });
}

/** Where a container finds its own group: of the second version of control groups, and of the first. */
const GROUPS = [
  { folder: '/sys/fs/cgroup', limit: 'memory.max', usage: 'memory.current' },
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', usage: 'memory.usage_in_bytes' },
] as const;

function memoryOfGroup({ folder, limit, usage }: (typeof GROUPS)[number]): number {
  const text = (name: string): string => textOf(`${folder}/${name}`);
  return groupMemoryShare({ limit: text(limit), usage: text(usage), stat: text('memory.stat') }) ?? 0;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
