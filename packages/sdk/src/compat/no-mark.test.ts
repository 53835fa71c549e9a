import { expect, test } from 'vitest';
import { CONFIG_TYPES } from '../controller/fault-config.js';
import { ruleOfFaultConfig } from '../controller/parse-fault-config.js';
import { startPlan } from '../controller/start-plan.js';
import { interceptFetch } from '../interceptors/intercept-fetch.js';

const EXAMPLES: { readonly [type: string]: object } = {
  latency: { delayMs: 1 },
  error: { statusCode: 503 },
  timeout: { hangMs: 1 },
  'rate-limit': { retryAfterSeconds: 1 },
  'schema-mismatch': { missingFields: ['city'] },
};

const POST = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast","arguments":{}}}',
};
const ANSWER = { jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: { city: 'NYC' } } };

test.each(CONFIG_TYPES)('the native fault that %s means leaves no mark that an agent could read', async (type) => {
  const run = startPlan({ rules: [ruleOfFaultConfig({ type, ...EXAMPLES[type] }, 'api')] }, { isAllowed: () => true });
  const { fetch } = interceptFetch(run, { fetch: async () => Response.json(ANSWER), target: 'api' });
  const seen = await fetch('http://localhost/', POST).then(
    async (response) => JSON.stringify([response.status, response.statusText, [...response.headers], await response.text()]),
    (error: Error & { cause?: unknown }) => `${String(error)} ${String(error.cause)} ${JSON.stringify(error.cause)}`,
  );
  expect(run.fired(run.plan.rules[0]!.id)).toBe(1);
  expect(seen).not.toMatch(/chaos|toolquake|inject|fault/i);
});
