// What does `toolquake --help` cost beside a bare node? Interleaved runs; the ratio of medians and of minima.
//   node bench/startup.mjs [rounds]      (build first)
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../packages/toolquake/bin/toolquake.js', import.meta.url));
const rounds = Number(process.argv[2] ?? 31);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`"${process.argv[2]}" is no number of rounds. For example: node bench/startup.mjs 31`);
  process.exit(2);
}
const contestants = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'node -e 0 again', args: ['-e', '0'] },
  { name: 'toolquake --help', args: [bin, '--help'] },
  { name: 'toolquake demo', args: [bin, 'demo'] },
].map((one) => ({ ...one, times: [] }));

for (let round = -1; round < rounds; round++) {
  for (const { args, times } of contestants) {
    const startedAt = performance.now();
    const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
    if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}. Build first: npm run build`);
    // The first round warms the disk cache.
    if (round >= 0) times.push(performance.now() - startedAt);
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const [bare] = contestants;
console.log(`start-up, ${rounds} rounds, node ${process.version}; ratios to node -e 0`);
for (const { name, times } of contestants) {
  const ratio = (of) => (of(times) / of(bare.times)).toFixed(2).padStart(6);
  console.log(`${name.padEnd(18)} median ${ratio(median)}   minimum ${ratio((values) => Math.min(...values))}`);
}
