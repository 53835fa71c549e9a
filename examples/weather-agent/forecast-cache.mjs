// Forecasts in Redis. A cache is a convenience: it may be slow, gone or full of rubbish, and nobody waits long for it.
import { within } from '@toolquake/sdk/resilience';

const KEPT_MS = 24 * 3_600_000;

const isForecast = (value) => typeof value?.city === 'string' && typeof value.temperatureC === 'number' && typeof value.sky === 'string';

/** `redis` needs `get`, `set` and `ping`. What fails is a miss, and is counted. */
export function createForecastCache({ redis, clock, patienceMs, freshMs }) {
  const failures = [];
  /** The value; undefined when Redis failed or took too long. */
  const ask = async (work) => {
    const finish = await within(work, patienceMs, { clock, signal: undefined });
    if (finish.how === 'done') return finish.value;
    failures.push(finish.how === 'late' ? 'late' : finish.error.message);
    return undefined;
  };
  const keyOf = (city) => `forecast:${city}`;
  return {
    failures,
    /** The last known forecast with its age; undefined when there is none that can be trusted. */
    async read(city) {
      const stored = await ask(() => redis.get(keyOf(city)));
      try {
        const { forecast, atMs } = JSON.parse(stored);
        if (!isForecast(forecast) || forecast.city !== city || typeof atMs !== 'number') throw new TypeError('not a forecast');
        const ageMs = clock.nowMs() - atMs;
        return { forecast, ageMs, isFresh: ageMs <= freshMs };
      } catch {
        if (typeof stored === 'string') failures.push('rubbish');
        return undefined;
      }
    },
    keep: (city, forecast) => ask(() => redis.set(keyOf(city), JSON.stringify({ forecast, atMs: clock.nowMs() }), 'PX', KEPT_MS)),
    isUp: async () => (await ask(() => redis.ping())) === 'PONG',
  };
}
