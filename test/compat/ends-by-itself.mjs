// Everything that could keep a process alive, or stay patched, at once.
import { ChaosController, configureChaosLogger, createChaosAwareFetch, wrapRedisWithChaos } from '@toolquake/sdk/compat';
import { interceptGlobalFetch } from '@toolquake/sdk/interceptors';

const print = (...words) => process.stdout.write(`${words.join(' ')}\n`);
const quiet = () => {};
configureChaosLogger(() => ({ debug: quiet, info: quiet, warn: quiet, error: quiet }));

const HOUR_MS = 3_600_000;
const URL_TEXT = 'http://localhost/';
const plainFetch = globalThis.fetch;
const redis = { get: async () => 'x' };
const plainGet = redis.get;

const controller = ChaosController.getInstance();
controller.inject('api', { type: 'latency', delayMs: HOUR_MS }, HOUR_MS);
controller.inject('drops', { type: 'connection-drop', afterMs: HOUR_MS });
interceptGlobalFetch(controller.run, { target: 'api' });
const unwrap = wrapRedisWithChaos(redis);

const gaveUp = new AbortController();
const call = createChaosAwareFetch('api', async () => new Response())(URL_TEXT, { signal: gaveUp.signal });
gaveUp.abort();
await call.catch(({ name }) => print(name));

// The answer came before the cut, whose timer must not be waited for.
print(await (await createChaosAwareFetch('drops', async () => new Response('ok'))(URL_TEXT)).text());

const held = createChaosAwareFetch('api', async () => new Response('on'))(URL_TEXT);
unwrap();
ChaosController.reset();
print(await (await held).text(), globalThis.fetch === plainFetch, redis.get === plainGet);

// And nobody ends this one.
ChaosController.getInstance().inject('api', { type: 'timeout', hangMs: HOUR_MS }, HOUR_MS);
interceptGlobalFetch(ChaosController.getInstance().run, { target: 'api' });
