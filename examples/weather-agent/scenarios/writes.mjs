// Things that must happen once: subscriptions, which know their key, and messages, which do not.
import assert from 'node:assert/strict';

const http = (tool) => ({ target: 'weather-http', tool });
const subscribe = (world, key = 'order-7') => world.post('/alerts', { city: 'Oslo', email: 'a@example.com' }, key);
const send = (world, key = 'note-7') => world.post('/messages', { city: 'Oslo', to: 'a@example.com' }, key);

const isDone = ({ status, body }, id) => assert.deepEqual([status, body], [201, { state: 'done', id }]);
const oneSubscription = (_, { books }) => assert.equal(books.subscriptions.size, 1);
const oneMessage = (_, { books }) => assert.equal(books.messages.length, 1);

export const writes = [
  {
    name: 'a subscription whose answer is lost',
    rules: [{ fault: 'lost-ack', when: http('subscribe'), at: { first: 1 } }],
    stalls: true,
    act: subscribe,
    promises: {
      'the user has it': (reply) => isDone(reply, 'subscription-1'),
      'asked for twice': (_, { ran }) => assert.equal(ran('subscribe'), 2),
      'made once, because of its key': oneSubscription,
    },
  },
  {
    name: 'an impatient user clicks twice, and the line breaks',
    rules: [{ fault: 'lost-ack', params: { mode: 'reset' }, when: http('subscribe'), at: { first: 1 } }],
    act: (world) => Promise.all([subscribe(world), subscribe(world)]),
    promises: {
      'both clicks get the same': (replies) => replies.forEach((reply) => isDone(reply, 'subscription-1')),
      'made once': oneSubscription,
    },
  },
  {
    name: 'a message whose answer is lost',
    rules: [{ fault: 'lost-ack', params: { mode: 'reset' }, when: http('send_message') }],
    act: send,
    promises: {
      'looked up, not guessed: the user has its id': (reply) => isDone(reply, 'message-1'),
      'sent once': oneMessage,
      'the service was asked whether it went out': (_, { ran }) => assert.equal(ran('find_message'), 1),
    },
  },
  {
    name: 'a message that surely never arrived',
    rules: [{ fault: 'http-status', params: { status: 429 }, when: http('send_message'), at: { first: 1 } }],
    act: send,
    promises: { 'sent again': (reply) => isDone(reply, 'message-1'), 'sent once': oneMessage },
  },
  {
    name: 'a message that is lost on its way',
    rules: [{ fault: 'hang', when: http('send_message'), at: { first: 1 } }],
    stalls: true,
    act: send,
    promises: {
      'once it cannot arrive any more, it is sent again': (reply) => isDone(reply, 'message-1'),
      'sent once': oneMessage,
      'not before 1500 ms, when it would have landed': ({ tookMs }) => assert.ok(tookMs >= 1500, `${tookMs} ms`),
    },
  },
  {
    name: 'a message in doubt, and nobody to ask',
    rules: [
      { fault: 'lost-ack', params: { mode: 'reset' }, when: http('send_message') },
      { fault: 'http-status', params: { status: 500 }, when: http('find_message') },
    ],
    act: send,
    promises: {
      'the user is told that nobody knows': ({ status, body }) => assert.deepEqual([status, body.state], [502, 'unknown']),
      'not sent again on a guess': (_, { ran }) => assert.equal(ran('send_message'), 1),
    },
  },
];
