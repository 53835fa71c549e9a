import { bearerChallenge, isHeaderText } from '../core/header-value.js';
import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError, toolErrorResult } from '../core/message.js';
import { oneOf, text } from '../core/params.js';

const WHY = 'The access token is missing or not valid';

/** HTTP has a status and a challenge for it; on a pipe the tool itself says that its key was rejected. */
export const unauthorized = defineFault({
  type: 'unauthorized',
  summary: 'Rejects a request for lack of valid credentials.',
  carriers: ['mcp', 'http'],
  role: 'terminal',
  params: {
    challenge: oneOf(['ok', 'missing', 'malformed'], {
      default: 'ok',
      about: 'The WWW-Authenticate header of the 401: as it should be, left out, or one that cannot be parsed.',
    }),
    resourceMetadata: text({
      default: '',
      about: 'Address that the challenge names as resource_metadata; without one clients look in the well-known places.',
    }),
    text: text({ default: 'Authentication failed: the API key was rejected.', about: 'What the tool says where there is no HTTP.' }),
  },
  whyPointless: ({ resourceMetadata }) => (isHeaderText(resourceMetadata) ? undefined : 'its resourceMetadata cannot stand in a header'),
  decide: (event, { challenge, resourceMetadata, text: words }) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    const { id, method, session } = event.exchange;
    const message = method === 'tools/call' ? toolErrorResult(id, words, session.era === 'modern') : rpcError(id, -32000, words);
    const good = bearerChallenge({ error: 'invalid_token', error_description: WHY, resource_metadata: resourceMetadata });
    // A quote that is never closed.
    const header = challenge === 'ok' ? { 'www-authenticate': good } : { 'www-authenticate': good.slice(0, good.lastIndexOf('"')) };
    const headers = { 'content-type': 'application/json', ...(challenge === 'missing' ? {} : header) };
    const body = JSON.stringify({ error: 'invalid_token', error_description: WHY });
    return [answer(message, { status: 401, headers, body })];
  },
});
