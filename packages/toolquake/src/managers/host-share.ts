/** What the texts of /proc and of control groups say of the host, as shares from 0 to 1. Pure. */

/** Clock ticks of all processors together since the boot. */
export type CpuTimes = { readonly busy: number; readonly all: number };

/** Reads the first line of /proc/stat. */
export function parseCpuTimes(text: string): CpuTimes | undefined {
  const line = /^cpu\s+(.+)$/m.exec(text)?.[1];
  // user, nice, system, idle, iowait, irq, softirq, steal; what guests use is part of user already.
  const ticks = line?.trim().split(/\s+/).slice(0, 8).map(Number);
  if (ticks === undefined || ticks.length < 4 || !ticks.every((value) => Number.isFinite(value) && value >= 0)) return undefined;
  const all = ticks.reduce((sum, value) => sum + value, 0);
  return { busy: all - (ticks[3] ?? 0) - (ticks[4] ?? 0), all };
}

/** Between two looks; nothing when no time went by, or the counters went back. */
export function cpuShare(before: CpuTimes, after: CpuTimes): number | undefined {
  const all = after.all - before.all;
  if (all <= 0) return undefined;
  return Math.min(1, Math.max(0, (after.busy - before.busy) / all));
}

/** What is not available any more without swapping: caches count as free. Reads the text of /proc/meminfo. */
export function memoryShare(text: string): number | undefined {
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d{1,15}) kB$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const [total, available] = [kilobytes('MemTotal'), kilobytes('MemAvailable')];
  if (!(total > 0) || !(available >= 0)) return undefined;
  return Math.min(1, Math.max(0, 1 - available / total));
}

/** What a control group says of its memory: the limit, what is in use, and what that is made of. */
export type GroupTexts = { readonly limit: string; readonly usage: string; readonly stat: string };

/** Without a limit a group says this much, or more. */
const NO_LIMIT_BYTES = 2 ** 60;

/** In a container memory is gone when that of the container is. Caches that nobody uses count as free; nothing without a limit. */
export function groupMemoryShare({ limit, usage, stat }: GroupTexts): number | undefined {
  const [limitBytes, usageBytes] = [bytesIn(limit), bytesIn(usage)];
  if (!(limitBytes > 0 && limitBytes < NO_LIMIT_BYTES) || !(usageBytes >= 0)) return undefined;
  // The first version of control groups counts what is below it by the word with "total".
  const unused = bytesIn(/^total_inactive_file (\d+)$/m.exec(stat)?.[1] ?? /^inactive_file (\d+)$/m.exec(stat)?.[1] ?? '0');
  return Math.min(1, Math.max(0, (usageBytes - unused) / limitBytes));
}

const bytesIn = (text: string): number => (/^\d{1,20}$/.test(text.trim()) ? Number(text) : Number.NaN);
