// The tools of the weather service, defended. Everything that a scenario proves is decided here.
import { withResilience } from '@toolquake/sdk/resilience';

/** For one attempt. */
export const ATTEMPT_MS = 1000;

/** Well-formed is not right. What a result says twice must agree; one that does not is a failure, and counts as one. */
function whatIsWrong({ structuredContent }, call) {
  if (call.name !== 'get_forecast') return undefined;
  const { city, temperatureC, temperatureF } = structuredContent;
  if (city !== call.arguments.city) return `a forecast for ${city}, not for ${call.arguments.city}`;
  return Math.abs(temperatureC * 1.8 + 32 - temperatureF) > 0.1 ? `${temperatureC} °C is not ${temperatureF} °F` : undefined;
}

/** `callTool` is that of an MCP client; `retryAfterMs` says how long its server wants to be left alone. */
export function createResilientWeather({ callTool, retryAfterMs, clock }) {
  return withResilience([{ name: 'weather', callTool, retryAfterMs }], {
    clock,
    attemptMs: ATTEMPT_MS,
    retry: { maxRetries: 2, maxShare: 0.1, reserve: 4 },
    backoff: { firstMs: 200, factor: 2, maxMs: 1000, jitter: 0 },
    breaker: { threshold: 0.5, minCalls: 6, window: 8, probeInterval: 3 },
    isUnusable: whatIsWrong,
    contracts: {
      get_forecast: { kind: 'read' },
      get_warnings: { kind: 'read' },
      subscribe: { kind: 'idempotent', keyArgument: 'key' },
      send_message: { kind: 'write', readBack: askForMessage, landsWithinMs: 1500 },
    },
  });

  /** Did the message go out? The service can be asked. */
  async function askForMessage({ call, signal }) {
    const { reference } = call.arguments;
    const { structuredContent } = await callTool({ name: 'find_message', arguments: { reference } }, { signal, timeout: ATTEMPT_MS });
    const [id] = structuredContent.ids;
    return id === undefined ? { happened: false } : { happened: true, result: { content: [], structuredContent: { id } } };
  }
}
