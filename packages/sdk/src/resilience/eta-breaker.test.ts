import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEtaBreaker, type EtaBreaker } from './eta-breaker.js';

/** Makes one operation; tells what the breaker said about it. */
function operate(breaker: EtaBreaker, isCorrect: boolean): string {
  const admission = breaker.admit();
  breaker.record(admission, isCorrect);
  return admission;
}

const broken = (options: { probeInterval?: number } = {}): EtaBreaker => {
  const breaker = createEtaBreaker({ threshold: 0.5, ...options });
  for (let n = 0; n < 4; n++) operate(breaker, false);
  return breaker;
};

test('opens exactly when the share of correct calls is below the threshold after four calls or more', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.array(fc.boolean(), { maxLength: 40 }), (threshold, answers) => {
      const breaker = createEtaBreaker({ threshold });
      let total = 0;
      let correct = 0;
      for (const isCorrect of answers) {
        operate(breaker, isCorrect);
        total++;
        if (isCorrect) correct++;
        const shouldBeOpen = total >= 4 && correct / total < threshold;
        expect(breaker.isOpen()).toBe(shouldBeOpen);
        if (shouldBeOpen) return;
      }
    }),
  );
});

test('with a window, what happened long ago does not keep it closed', () => {
  const calls = fc.array(fc.boolean(), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 12 }), calls, (window, answers) => {
      const breaker = createEtaBreaker({ threshold: 0.5, window });
      const seen: boolean[] = [];
      for (const isCorrect of answers) {
        operate(breaker, isCorrect);
        seen.push(isCorrect);
        const last = seen.slice(-window);
        const shouldBeOpen = last.length >= 4 && last.filter(Boolean).length / last.length < 0.5;
        expect(breaker.isOpen()).toBe(shouldBeOpen);
        if (shouldBeOpen) return;
      }
    }),
  );
  const slow = createEtaBreaker({ threshold: 0.5 });
  const quick = createEtaBreaker({ threshold: 0.5, window: 10 });
  for (let call = 0; call < 106; call++) for (const breaker of [slow, quick]) operate(breaker, call < 100);
  expect([slow.isOpen(), quick.isOpen()]).toEqual([false, true]);
});

test('does not judge a tool by three calls', () => {
  const breaker = createEtaBreaker({ threshold: 0.5 });
  expect([operate(breaker, false), operate(breaker, false), operate(breaker, false), breaker.isOpen()]).toEqual([
    'call',
    'call',
    'call',
    false,
  ]);
});

test('a call that was under way when it opened changes nothing', () => {
  const breaker = createEtaBreaker({ threshold: 0.5 });
  const early = breaker.admit();
  for (let n = 0; n < 4; n++) operate(breaker, false);
  breaker.record(early, true);
  expect(breaker.isOpen()).toBe(true);
});

describe('half-open', () => {
  test('lets every Nth call through while it is open, and refuses the others', () => {
    const breaker = broken({ probeInterval: 3 });
    expect(Array.from({ length: 7 }, () => operate(breaker, false))).toEqual([
      'refuse',
      'refuse',
      'probe',
      'refuse',
      'refuse',
      'probe',
      'refuse',
    ]);
  });

  test('a correct probe closes it and clears its memory: four calls are needed to open it again', () => {
    const breaker = broken({ probeInterval: 1 });
    expect(operate(breaker, true)).toBe('probe');
    expect(breaker.isOpen()).toBe(false);
    for (let n = 0; n < 3; n++) operate(breaker, false);
    expect(breaker.isOpen()).toBe(false);
    operate(breaker, false);
    expect(breaker.isOpen()).toBe(true);
  });

  test('never closes without probes, whatever the tool does', () => {
    const breaker = broken();
    expect(new Set(Array.from({ length: 100 }, () => operate(breaker, true)))).toEqual(new Set(['refuse']));
  });

  test('recovers within one interval once the tool is well', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(60), (probeInterval, outage) => {
        const breaker = broken({ probeInterval });
        for (let n = 0; n < outage; n++) operate(breaker, false);
        for (let n = 0; n < probeInterval; n++) operate(breaker, true);
        expect(breaker.isOpen()).toBe(false);
      }),
    );
  });
});
