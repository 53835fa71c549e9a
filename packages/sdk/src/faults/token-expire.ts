import { bearerChallenge } from '../core/header-value.js';
import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms } from '../core/params.js';

const WHY = 'The access token expired';
const HEADERS = {
  'content-type': 'application/json',
  'www-authenticate': bearerChallenge({ error: 'invalid_token', error_description: WHY }),
};
const BODY = JSON.stringify({ error: 'invalid_token', error_description: WHY });

/** In the middle of a session that worked so far. The proxy sees no tokens: only time, or a new session, makes it good again. */
export const tokenExpire = defineFault({
  type: 'token-expire',
  summary: 'Lets the access token expire: every request of the session gets 401 for a while.',
  carriers: ['http'],
  role: 'terminal',
  cannot: {
    stdio: 'A pipe carries no tokens: the server was given its key when it was started.',
    'in-process': 'No tokens are carried in process.',
  },
  params: {
    forMs: ms({ default: 30_000, min: 1, about: 'How long requests are turned away, unless the client initialises anew before.' }),
  },
  memoryScope: 'session',
  memory: () => ({ untilMs: 0 }),
  lasts: ({ untilMs }, { nowMs }) => nowMs < untilMs,
  decide: (event, { forMs }, { memory, nowMs }) => {
    if (event.kind !== 'frame' || event.part !== 'request') return [];
    if (nowMs >= memory.untilMs) memory.untilMs = nowMs + forMs;
    return [answer(undefined, { status: 401, headers: HEADERS, body: BODY })];
  },
});
