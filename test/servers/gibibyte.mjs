// Answers every request with a result of argv[3] bytes of text, as fast as its reader takes it: over stdio (argv[2] = "stdio"),
// or over HTTP as one JSON body ("json") or one event ("events"). Over HTTP it says its port on stdout. Its own memory stays flat.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const [, , form, size] = process.argv;
const chunk = Buffer.alloc(256 * 1024, 'x');

function* answer(id) {
  yield Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`);
  for (let left = Number(size); left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk;
  yield Buffer.from('"}]}}');
}

function* framed(id) {
  if (form === 'events') yield Buffer.from('event: message\ndata: ');
  yield* answer(id);
  yield Buffer.from({ stdio: '\n', json: '', events: '\n\n' }[form]);
}

if (form === 'stdio') {
  let rest = '';
  for await (const text of process.stdin.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) await pipeline(Readable.from(framed(JSON.parse(line).id)), process.stdout, { end: false });
  }
} else {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const text of request.setEncoding('utf8')) body += text;
    response.writeHead(200, { 'content-type': form === 'json' ? 'application/json' : 'text/event-stream' });
    await pipeline(Readable.from(framed(JSON.parse(body).id)), response);
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}
