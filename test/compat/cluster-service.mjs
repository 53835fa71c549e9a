// A service under cluster, as docs/processes.md has it: every worker opens the admin routes on the shared port, and hands
// what it is asked on to the others by way of the primary where the caller says so.
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { ChaosController, configureChaosLogger } from '@toolquake/sdk/compat';

const quiet = () => {};
configureChaosLogger(() => ({ debug: quiet, info: quiet, warn: quiet, error: quiet }));

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    if (++listening === workers.length) process.send({ port });
  });
  // From anybody to all: the one line that reaches every worker.
  cluster.on('message', (_worker, message) => workers.forEach((worker) => worker.send(message)));
  process.on('message', () => cluster.disconnect(() => process.disconnect()));
} else {
  const act = ({ target, config }) => ChaosController.getInstance().inject(target, config);
  process.on('message', ({ inject }) => {
    if (inject !== undefined) act(inject);
  });
  createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const body = text === '' ? undefined : JSON.parse(text);
    if (request.url === '/one') act(body);
    if (request.url === '/all') process.send({ inject: body });
    const count = ChaosController.getInstance().getActiveFaults().length;
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify({ worker: cluster.worker.id, count }));
  }).listen(0, '127.0.0.1');
}
