/** Probes many targets, once or again and again. */
import type { ConfiguredTarget } from '../config/configured-target.js';
import type { Era } from '../core/connection.js';
import type { Finding, ProbeReport } from '../core/probe-report.js';
import { judgeProbe } from '../gates/judge-probe.js';
import { probeTarget, type ProbeWorld } from '../targets/probe-target.js';

/** How often, and how many at a time. */
export type RoundsOptions = {
  readonly world: ProbeWorld;
  /** Rounds; endless where undefined. */
  readonly count: number | undefined;
  readonly intervalMs: number;
  readonly concurrency: number;
  /** Hears of each report as it comes, and of the start of each round. */
  readonly onReport: (report: ProbeReport, index: number, round: number) => void;
  readonly onRoundEnd: (round: number) => void;
};

type Memory = { era: Era | undefined; hashes: string[] };

/** Runs until the rounds are over, or the signal of the world aborts. Resolves to the reports of the last whole round. */
export async function probeRounds(targets: readonly ConfiguredTarget[], options: RoundsOptions): Promise<readonly ProbeReport[]> {
  const { world, count, intervalMs, concurrency, onReport, onRoundEnd } = options;
  const memories = targets.map((): Memory => ({ era: undefined, hashes: [] }));
  const firstMs = world.clock.nowMs();
  let last: readonly ProbeReport[] = [];
  for (let round = 0; count === undefined || round < count; round++) {
    const slotMs = firstMs + round * intervalMs;
    await wait(slotMs - world.clock.nowMs(), world);
    const lateMs = world.clock.nowMs() - slotMs;
    const reports: ProbeReport[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < targets.length) {
        const index = next++;
        const { report, manifestHash } = await probeTarget(targets[index]!, world);
        reports[index] = withMemory(report, manifestHash, memories[index]!, round > 0 && lateMs > intervalMs / 2 ? lateMs : undefined);
        onReport(reports[index], index, round);
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, targets.length) }, work));
    last = reports;
    onRoundEnd(round);
  }
  return last;
}

/** What only several rounds can show. */
function withMemory(report: ProbeReport, hash: string | undefined, memory: Memory, lateMs: number | undefined): ProbeReport {
  const more: Finding[] = [];
  const era = report.facts?.era;
  if (era !== undefined && memory.era !== undefined && era !== memory.era) {
    more.push({ reason: 'era_changed', step: 'hello', detail: `the server spoke the ${memory.era} era before, and now the ${era} one` });
  }
  memory.era = era ?? memory.era;
  const before = memory.hashes.at(-1);
  if (hash !== undefined && before !== undefined && hash !== before) {
    const isBack = memory.hashes.includes(hash);
    const detail = isBack
      ? 'the tools are those of an earlier round again: several builds answer'
      : 'the tools differ from those of the round before';
    more.push({ reason: isBack ? 'manifest_unstable' : 'manifest_changed', step: 'list', detail });
  }
  if (hash !== undefined && hash !== before) memory.hashes = [...memory.hashes.filter((one) => one !== hash), hash].slice(-MAX_HASHES);
  if (lateMs !== undefined)
    more.push({ reason: 'probe_overrun', step: 'resolve', detail: `the round started ${Math.round(lateMs)} ms late` });
  if (more.length === 0) return report;
  const { target, startedAt, totalMs, stages, facts, findings } = report;
  return judgeProbe({ target, startedAt, totalMs, stages, facts: facts ?? undefined, findings: [...findings, ...more] });
}

const MAX_HASHES = 8;

function wait(ms: number, { clock, signal }: ProbeWorld): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      // eslint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal is whatever its owner chose
      reject(signal?.reason);
    };
    const cancel = clock.schedule(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}
