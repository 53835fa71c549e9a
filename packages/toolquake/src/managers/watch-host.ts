/** Samples of this host: how much of its memory and of its processors is in use. */
import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { every } from './every.js';
import { cpuShare, memoryShare, parseCpuTimes, type CpuTimes } from './host-share.js';
import type { WatchOptions } from './watch-process.js';

/** Resolves when the signal aborts. The share of the processors needs two looks, so the first sample comes with the second. */
export async function watchHost(options: WatchOptions): Promise<void> {
  let before: CpuTimes | undefined;
  await every(options, () => {
    const now = parseCpuTimes(textOf('/proc/stat'));
    const cpu = before === undefined || now === undefined ? undefined : cpuShare(before, now);
    before = now;
    const memory = memoryShare(textOf('/proc/meminfo')) ?? 1 - freemem() / totalmem();
    if (cpu !== undefined && !options.signal.aborted) options.onSample({ source: 'host', atMs: options.nowMs(), memory, cpu });
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
