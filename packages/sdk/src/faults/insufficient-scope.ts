import { bearerChallenge, isHeaderText } from '../core/header-value.js';
import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { text } from '../core/params.js';

const WHY = 'The request requires higher privileges';

/** The token is good, only not for this. A client that asks for the same token again goes in circles. */
export const insufficientScope = defineFault({
  type: 'insufficient-scope',
  summary: 'Rejects a request because its token does not cover it, and says what would.',
  carriers: ['http'],
  role: 'terminal',
  cannot: { stdio: 'A pipe carries no tokens, and so no scopes.', 'in-process': 'No tokens, and so no scopes, are carried in process.' },
  params: {
    scope: text({
      default: 'tools:write',
      about: 'Scopes that the challenge asks for, separated by spaces: only what is missing, or all that the client needs.',
    }),
    resourceMetadata: text({
      default: '',
      about: 'Address that the challenge names as resource_metadata; without one clients look in the well-known places.',
    }),
  },
  whyPointless: ({ scope, resourceMetadata }) => {
    if (!isHeaderText(scope)) return 'its scope cannot stand in a header';
    return isHeaderText(resourceMetadata) ? undefined : 'its resourceMetadata cannot stand in a header';
  },
  decide: (event, { scope, resourceMetadata }) => {
    if (event.kind !== 'frame' || event.part !== 'request') return [];
    const error = { error: 'insufficient_scope', error_description: WHY, scope };
    const challenge = bearerChallenge({ ...error, resource_metadata: resourceMetadata });
    const headers = { 'content-type': 'application/json', 'www-authenticate': challenge };
    return [answer(undefined, { status: 403, headers, body: JSON.stringify(error) })];
  },
});
