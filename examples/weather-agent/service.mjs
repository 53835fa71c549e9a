// What users see: an Express service in front of the agent. It says what is missing, and it never says more than it knows.
import { once } from 'node:events';
import express from 'express';

const SORRY = 'The weather service gives no answer at the moment.';

/** Starts it on a free port. `gate` is what stands before its own check of the user's token. */
export async function startService({ agent, gate }) {
  const app = express();
  app.use(express.json());
  app.get('/ready', async (_request, response) => {
    const readiness = await agent.readiness();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });
  app.use(gate);
  app.use((request, response, next) =>
    request.get('authorization') === 'Bearer user'
      ? next()
      : response.status(401).set('www-authenticate', 'Bearer').json({ error: 'sign in' }),
  );

  app.get('/weather/:city', async ({ params, headers }, response) => {
    const answer = await agent.weather(params.city, Number(headers['x-deadline-ms'] ?? 5000));
    if (answer.state === 'failed') response.status(503).set('retry-after', '30').json({ state: 'failed', error: SORRY });
    else response.json(answer);
  });

  const write = (path, work) =>
    app.post(path, async (request, response) => {
      const key = request.get('idempotency-key');
      if (key === undefined) return response.status(400).json({ error: 'Send an Idempotency-Key.' });
      const { state, id, why } = await work(request.body, key);
      if (state === 'done') return response.status(201).json({ state, id });
      if (state === 'unknown')
        return response.status(502).json({ state, error: 'Nobody knows whether it was done. Ask before you repeat it.' });
      const isForbidden = why.status === 403;
      return response.status(isForbidden ? 403 : 503).json({ state, error: isForbidden ? 'This agent may not do that.' : SORRY });
    });
  write('/alerts', agent.subscribe);
  write('/messages', agent.message);

  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
