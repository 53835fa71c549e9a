// Writes one line of argv[2] bytes as fast as its reader takes it, then exits. On stderr: bytes that the system has taken so far.
const total = Number(process.argv[2]);
const chunk = Buffer.alloc(64 * 1024, 'x');
let sent = 0;

function more() {
  while (sent < total) {
    const part = chunk.subarray(0, Math.min(chunk.length, total - sent));
    sent += part.length;
    if (!process.stdout.write(part)) {
      process.stderr.write(`${sent}\n`);
      process.stdout.once('drain', more);
      return;
    }
  }
  process.stdout.write('\n', () => process.exit(0));
}

process.stdin.resume();
more();
