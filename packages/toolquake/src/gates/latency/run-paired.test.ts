import { keyedRandom, type Clock } from '@toolquake/sdk/core';
import { createVirtualClock } from '../../simulator/virtual-clock.js';
import { describe, expect, test } from 'vitest';
import type { Side } from './block-order.js';
import type { BenchCall, Caller, LatencySample } from './measure.js';
import { startRun, UNCHANGED, type NoiseModel, NOISE } from './noise-model.js';
import { PAIRED } from './paired-gate.js';
import { runPaired, type PairedRun } from './run-paired.js';

/** Time that passes by itself: as soon as nothing else is to be done, the next event happens. */
function ownClock(): Clock {
  const clock = createVirtualClock();
  return {
    nowMs: clock.nowMs,
    schedule(afterMs, action) {
      setImmediate(() => clock.step());
      return clock.schedule(afterMs, action);
    },
  };
}

const search: BenchCall = { tool: 'search', arguments: { q: 'x' } };

/** Two made-up servers on one machine. */
function servers(clock: Clock, model: NoiseModel, factor: number): Readonly<Record<Side, Caller>> {
  const next = startRun(model, 0, keyedRandom(5).stream('server', ''));
  const caller = (side: Side): Caller => {
    return () =>
      new Promise((resolve) => {
        clock.schedule(20 * next(side, side === 'candidate' ? { factor, moreSlowCalls: 0 } : UNCHANGED, 0.5), () => resolve(undefined));
      });
  };
  return { baseline: caller('baseline'), candidate: caller('candidate') };
}

const compare = (options: Partial<PairedRun> & Pick<PairedRun, 'clock' | 'callers'>) =>
  runPaired({ calls: [search], settings: PAIRED, warmUpCalls: 10, seed: 1, paceMs: 0, ...options });

describe('the paired run', () => {
  test('catches a server that is half as fast again, on fresh calls', async () => {
    const clock = ownClock();
    const samples: LatencySample[] = [];
    const { tools } = await compare({ clock, callers: servers(clock, NOISE.usual, 1.5), onSample: (sample) => samples.push(sample) });
    expect(tools[0]).toMatchObject({ tool: 'search', verdict: 'slower', calls: 250 });
    expect(tools[0]!.ratio).toBeGreaterThan(1.3);
    expect(tools[0]!.candidate!.count).toBe(200);
    // Warm-up is not among the samples; both stages are.
    expect(samples.filter(({ stage }) => stage === 1)).toHaveLength(100);
    expect(samples.filter(({ stage }) => stage === 2)).toHaveLength(400);
  });

  test('passes a server against itself after the first look, and says what it could have seen', async () => {
    const clock = ownClock();
    const { tools } = await compare({ clock, callers: servers(clock, NOISE.quiet, 1) });
    expect(tools[0]).toMatchObject({ verdict: 'passed', calls: 50 });
    expect(tools[0]!.why).toMatch(/^no sign of a slowdown; this comparison sees slowdowns of \d+ % and more$/);
    expect(tools[0]!.detectable).toBeLessThan(0.3);
  });

  test('calls what is too noisy to tell inconclusive', async () => {
    const clock = ownClock();
    const { tools } = await compare({ clock, callers: servers(clock, { ...NOISE.heavy, sigma: 2.5 }, 1) });
    expect(tools[0]!.verdict).toBe('inconclusive');
    expect(tools[0]!.why).toContain('too noisy to tell');
  });

  test('ends at a call that fails, because its time is no latency', async () => {
    const clock = ownClock();
    const { baseline } = servers(clock, NOISE.quiet, 1);
    let calls = 0;
    const candidate: Caller = async (call, signal) => (++calls > 25 ? 'the tool said: out of cheese' : baseline(call, signal));
    const { tools } = await compare({ clock, callers: { baseline, candidate }, calls: [search, { tool: 'other', arguments: {} }] });
    expect(tools).toHaveLength(1);
    expect(tools[0]).toMatchObject({ verdict: 'aborted', failedSide: 'candidate' });
    expect(tools[0]!.why).toBe('a call to the candidate failed, and how fast a failure comes is no latency: the tool said: out of cheese');
  });

  test('stops at once when interrupted, in a pause too', async () => {
    const clock = ownClock();
    const stop = new AbortController();
    let calls = 0;
    const answered: Caller = async () => undefined;
    const running = compare({
      clock: { nowMs: clock.nowMs, schedule: () => () => {} },
      callers: { baseline: answered, candidate: answered },
      paceMs: 500,
      signal: stop.signal,
      onCall: () => {
        calls++;
        setImmediate(() => stop.abort(new Error('enough')));
      },
    });
    await expect(running).rejects.toThrow('enough');
    expect(calls).toBe(1);
  });
});
