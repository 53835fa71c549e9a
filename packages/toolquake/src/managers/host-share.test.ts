import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuShare, groupMemoryShare, memoryShare, parseCpuTimes } from './host-share.js';

test('the processors are busy with all but idle time and waiting for disks', () => {
  const before = parseCpuTimes('cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4\n')!;
  const after = parseCpuTimes('cpu  150 0 75 875 60 0 0 0 70 0\n')!;
  expect(before).toEqual({ busy: 150, all: 1000 });
  expect(cpuShare(before, after)).toBeCloseTo(75 / 160);
});

test('no time, or counters that went back, say nothing', () => {
  const times = { busy: 10, all: 100 };
  expect(cpuShare(times, times)).toBeUndefined();
  expect(cpuShare(times, { busy: 0, all: 50 })).toBeUndefined();
});

test('memory in use is what is not available', () => {
  expect(memoryShare('MemTotal:       1000 kB\nMemFree:   10 kB\nMemAvailable:    250 kB\n')).toBe(0.75);
  expect(memoryShare('MemTotal: 0 kB\nMemAvailable: 0 kB\n')).toBeUndefined();
  expect(memoryShare('')).toBeUndefined();
});

test.each<[string, string, string, number | undefined]>([
  ['1000\n', '900\n', 'anon 700\ninactive_file 150\n', 0.75],
  ['1000', '900', 'inactive_file 1\ntotal_inactive_file 400\n', 0.5],
  ['1000', '900', '', 0.9],
  ['1000', '2000', '', 1],
  ['max\n', '900', '', undefined],
  ['9223372036854771712', '900', '', undefined],
  ['1000', 'a lot', '', undefined],
  ['', '', '', undefined],
])('a container with a limit of %j that uses %j (%j) uses a share of %j', (limit, usage, stat, share) => {
  expect(groupMemoryShare({ limit, usage, stat })).toBe(share);
});

test('shares lie between 0 and 1, whatever the kernel says', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 4 }), fc.array(fc.nat(), { minLength: 4 }), (one, other) => {
      const share = cpuShare(parseCpuTimes(`cpu ${one.join(' ')}`)!, parseCpuTimes(`cpu ${other.join(' ')}`)!);
      if (share !== undefined) expect(share >= 0 && share <= 1).toBe(true);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void [parseCpuTimes(text), memoryShare(text)]));
});
