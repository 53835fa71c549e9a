// Hands back every byte of stdin, however it is chunked, and ends when stdin does. Says on stderr how much it has read.
let bytes = 0;
process.stdin.on('data', (chunk) => {
  bytes += chunk.length;
  if (!process.stdout.write(chunk)) {
    process.stdin.pause();
    process.stdout.once('drain', () => process.stdin.resume());
  }
});
process.stdin.on('end', () => process.stderr.write(`read ${bytes}\n`));
