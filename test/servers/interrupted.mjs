// Counts SIGINT: says "ready", then "interrupted" each time, and how often in all when SIGTERM ends it.
let count = 0;
process.on('SIGINT', () => {
  count++;
  process.stderr.write('interrupted\n');
});
process.on('SIGTERM', () => process.stderr.write(`interrupted ${count}x\n`, () => process.exit(0)));
process.stdin.resume();
process.stderr.write('ready\n');
