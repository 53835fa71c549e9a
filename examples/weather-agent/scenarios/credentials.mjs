// Tokens that are no longer good: that of the agent at the weather service, and that of the user at the agent.
import assert from 'node:assert/strict';
import { whole } from './weather-down.mjs';

const agentToken = (tool) => ({ target: 'weather-token', tool });

export const credentials = [
  {
    name: 'the token of the agent is rejected',
    rules: [{ fault: 'unauthorized', when: agentToken('get_forecast'), at: { first: 1 } }],
    act: (world) => world.get('/weather/Oslo'),
    promises: {
      'the user notices nothing': whole,
      'a new token was asked for, once': (_, { books }) => assert.equal(books.tokensIssued, 2),
      'the tool ran once': (_, { ran }) => assert.equal(ran('get_forecast'), 1),
    },
  },
  {
    name: 'the agent may read, and not subscribe',
    rules: [{ fault: 'insufficient-scope', params: { scope: 'alerts:write' }, when: agentToken('subscribe') }],
    act: (world) => world.post('/alerts', { city: 'Oslo', email: 'a@example.com' }, 'order-7'),
    promises: {
      'the user is told': ({ status, body }) => assert.deepEqual([status, body.error], [403, 'This agent may not do that.']),
      'nothing was subscribed': (_, { books }) => assert.equal(books.subscriptions.size, 0),
      'a "may not" is not asked for again': (_, { tools }) => assert.equal(tools.retries(), 0),
    },
    async recovery(world) {
      const reply = await world.post('/alerts', { city: 'Oslo', email: 'a@example.com' }, 'order-7');
      assert.equal(reply.status, 201, 'the same key works once it is allowed');
    },
  },
  {
    name: 'the token of the user is rejected',
    rules: [{ fault: 'unauthorized', when: { target: 'user-token', tool: 'GET /weather/*' } }],
    act: (world) => world.get('/weather/Oslo'),
    promises: {
      'a challenge, as HTTP wants it': ({ status, headers }) => {
        assert.equal(status, 401);
        assert.match(headers.get('www-authenticate'), /^Bearer error="invalid_token"/);
      },
      'nothing was asked of the weather service': (_, { ran }) => assert.equal(ran('get_forecast'), 0),
      'readiness needs no token': async (_, { get }) => assert.equal((await get('/ready')).status, 200),
    },
  },
];
