// The agent: a script in the place of a model, so that the same faults always meet the same calls.
import { createDeadline } from '@toolquake/sdk/resilience';

const minutes = (ms) => `${Math.round(ms / 60_000)} minutes`;

/** Answers questions with the defended tools and the cache. It never throws because of either. */
export function createAgent({ tools, cache, clock }) {
  /** `complete`, `partial` with what is missing, or `failed`. */
  async function weather(city, deadlineMs) {
    const deadline = createDeadline(deadlineMs, { clock });
    const known = await cache.read(city);
    if (known?.isFresh) return { state: 'complete', source: 'cache', forecast: known.forecast, warnings: known.forecast.warnings };

    const report = await tools.callTool({ name: 'get_forecast', arguments: { city } }, { deadline });
    if (report.state === 'failed') {
      if (known === undefined) return { state: 'failed', why: report.failure };
      const missing = [`a new forecast: this one is ${minutes(known.ageMs)} old`];
      return { state: 'partial', source: 'cache', forecast: known.forecast, missing };
    }
    const forecast = report.result.structuredContent;
    const warned = await tools.callTool({ name: 'get_warnings', arguments: { city } }, { deadline });
    const isWhole = warned.state === 'complete';
    const warnings = isWhole ? warned.result.structuredContent.warnings : undefined;
    // Half an answer is not kept: it would look whole the next time.
    if (isWhole) await cache.keep(city, { ...forecast, warnings });
    return { state: isWhole ? 'complete' : 'partial', source: 'live', forecast, warnings, ...(isWhole ? {} : { missing: ['warnings'] }) };
  }

  /** `done` with an id, `not-done`, or `unknown`: then nobody may simply try again. */
  async function write(name, input, key) {
    const report = await tools.callTool({ name, arguments: input }, { idempotencyKey: key, deadlineMs: 5000 });
    if (report.state !== 'failed') return { state: 'done', id: report.result.structuredContent.id };
    return { state: report.failure.executed === 'no' ? 'not-done' : 'unknown', why: report.failure };
  }

  return {
    weather,
    subscribe: ({ city, email }, key) => write('subscribe', { city, email }, key),
    message: ({ to, city }, key) => write('send_message', { to, city, reference: key }, key),
    /** What a load balancer should know. Without its cache the agent is slower; without its tools it has nothing to say. */
    async readiness() {
      const open = tools.openBreakers().weather;
      const isCacheUp = await cache.isUp();
      return {
        ready: open.length === 0,
        weather: open.length === 0 ? 'ok' : `breaker open: ${open.join(', ')}`,
        cache: isCacheUp ? 'ok' : 'down',
      };
    },
  };
}
