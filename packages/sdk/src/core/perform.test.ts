import { describe, expect, test } from 'vitest';
import { disconnect, emit, forward, hold, pace, signalServer } from './effect.js';
import { onAnswer, onRequest, refusal, stage } from './fixtures/stage.js';
import { editFrame, frameBytes, frameFromMessage, type Frame } from './frame.js';
import { startSession, type Exchange } from './session.js';

describe('delays', () => {
  test('send an answer late, and the call knows its latency and its fault', () => {
    const play = stage([['slow', 'shaping', onAnswer((frame) => [forward(frame, 300)])]]);
    play.call(1);
    play.clock.advance(50);
    play.respond(1);
    play.clock.advance(299);
    expect(play.log).toEqual(['0 >> tools/call 1']);
    play.clock.advance(1);
    expect(play.log).toEqual(['0 >> tools/call 1', '350 << answer 1']);
    expect(play.told).toEqual(['slow delivered', 'call 1 ok 350ms slow']);
    expect(play.waiting).toBe(0);
  });

  test('send a request late, and other calls are not delayed', () => {
    const play = stage([['slow', 'shaping', onRequest((frame) => [forward(frame, 100)]), { when: { tool: ['slow'] } }]]);
    play.call(1, 'slow');
    play.call(2, 'quick');
    play.respond(2);
    play.clock.advance(100);
    play.respond(1);
    expect(play.log).toEqual(['0 >> tools/call 2', '0 << answer 2', '100 >> tools/call 1', '100 << answer 1']);
    expect(play.waiting).toBe(0);
  });

  test('put off a made-up answer as well', () => {
    const play = stage([
      ['fail', 'terminal', refusal],
      ['slow', 'shaping', onAnswer((frame) => [forward(frame, 70)])],
    ]);
    play.call(1);
    expect(play.waiting).toBe(1);
    play.clock.advance(70);
    expect(play.log).toEqual(['70 reply 1 error']);
    expect(play.told).toEqual(['fail delivered', 'slow delivered', 'call 1 rpc-error 70ms fail+slow']);
    expect(play.waiting).toBe(0);
  });

  test('end with the session: nothing is sent afterwards and the call counts as unanswered', () => {
    const play = stage([['slow', 'shaping', onAnswer((frame) => [forward(frame, 300)])]]);
    play.call(1);
    play.respond(1);
    play.performer.close(play.session);
    play.clock.advance(1000);
    expect(play.log).toEqual(['0 >> tools/call 1']);
    expect(play.told).toEqual(['slow delivered', 'call 1 no-answer 0ms slow']);
    expect(play.clock.waiting).toBe(0);
  });

  test('do not replace one another: a second copy follows the first', () => {
    const play = stage([['twice', 'terminal', onAnswer((frame) => [forward(frame), forward(frame, 10)])]]);
    play.call(1);
    play.respond(1);
    // Still open, so that a cancel now would be known for what it is.
    expect(play.waiting).toBe(1);
    play.clock.advance(10);
    expect(play.log.slice(1)).toEqual(['0 << answer 1', '10 << answer 1']);
    expect(play.told.filter((line) => line.startsWith('call'))).toHaveLength(1);
    expect(play.waiting).toBe(0);
  });
});

describe('holds', () => {
  test('keep no notification that nobody gets: nobody waits for it', () => {
    const play = stage([
      ['lost', 'terminal', onRequest((frame) => [hold(frame, 'never')]), { when: { method: ['notifications/progress'] } }],
    ]);
    play.performer.request(play.session, frameFromMessage('to-server', { jsonrpc: '2.0', method: 'notifications/progress' }));
    play.performer.release();
    expect(play.log).toEqual([]);
    expect(play.told).toEqual(['lost delivered']);
  });

  test('for a time let go when it is over', () => {
    const play = stage([['pause', 'terminal', onAnswer((frame) => [hold(frame, { ms: 40 })])]]);
    play.call(1);
    play.respond(1);
    play.clock.advance(40);
    expect(play.log).toEqual(['0 >> tools/call 1', '40 << answer 1']);
    expect(play.waiting).toBe(0);
  });

  test('until a cancel let go some time after it, and the caller saw a cancel', () => {
    const play = stage([['late', 'terminal', onAnswer((frame) => [hold(frame, 'cancel', 25)])]]);
    play.call(1);
    play.respond(1);
    play.clock.advance(1000);
    play.cancel(1);
    play.clock.advance(25);
    expect(play.log).toEqual(['0 >> tools/call 1', '1000 >> notifications/cancelled undefined', '1025 << answer 1']);
    expect(play.told).toEqual(['late delivered', 'call 1 cancelled 1000ms late']);
    expect(play.waiting).toBe(0);
  });

  test('until a cancel without delay still report the cancel', () => {
    const play = stage([['late', 'terminal', onAnswer((frame) => [hold(frame, 'cancel')])]]);
    play.call(1);
    play.respond(1);
    play.cancel(1);
    expect(play.log.slice(1)).toEqual(['0 << answer 1', '0 >> notifications/cancelled undefined']);
    expect(play.told.at(-1)).toBe('call 1 cancelled 0ms late');
  });

  test('for ever end with the session, unsaid', () => {
    const play = stage([['hang', 'terminal', onRequest((frame) => [hold(frame, 'never')])]]);
    play.call(1);
    play.clock.advance(86_400_000);
    play.performer.close(play.session);
    expect(play.log).toEqual([]);
    expect(play.told).toEqual(['hang delivered', 'call 1 no-answer 86400000ms hang']);
    expect(play.waiting).toBe(0);
  });

  test('are superseded by a later frame for the same exchange and direction', () => {
    const play = stage([
      ['swap', 'terminal', onAnswer((frame, _context, { answers }) => (answers === 1 ? [hold(frame, 'never')] : [forward(frame)]))],
    ]);
    play.call(1);
    play.respond(1, { text: 'first' });
    play.respond(1, { text: 'second' });
    play.performer.release();
    expect(play.log).toEqual(['0 >> tools/call 1', '0 << answer 1']);
    expect(play.waiting).toBe(0);
  });

  test('in one direction stay when a frame goes the other way', () => {
    const play = stage([
      [
        'keep',
        'terminal',
        onRequest((frame) => [
          hold(frame, 'never'),
          forward(frameFromMessage('to-client', { jsonrpc: '2.0', method: 'notifications/progress' })),
        ]),
      ],
    ]);
    play.call(1);
    play.performer.release();
    expect(play.log).toEqual(['0 << notifications/progress undefined', '0 >> tools/call 1']);
  });

  test('without end are bounded: the oldest is forgotten', () => {
    const play = stage([['hang', 'terminal', onRequest((frame) => [hold(frame, 'never')])]]);
    for (let id = 0; id < 5000; id++) play.call(id);
    play.performer.release();
    expect(play.log).toHaveLength(4096);
    expect(play.log.at(-1)).toBe('0 >> tools/call 4999');
  });
});

describe('release', () => {
  test('sends what is held and what is delayed at once, and stops repeats', () => {
    const play = stage([
      ['hang', 'terminal', onRequest((frame) => [hold(frame, 'never')]), { when: { tool: ['hang'] } }],
      ['slow', 'shaping', onRequest((frame) => [forward(frame, 5000)]), { when: { tool: ['slow'] } }],
      ['slices', 'shaping', onRequest((frame) => [pace(frame, { sliceBytes: 60, everyMs: 5000 })]), { when: { tool: ['slices'] } }],
      ['noise', 'extra', onRequest(() => [emit('heartbeat', { everyMs: 10, count: 100 })]), { when: { tool: ['noise'] } }],
    ]);
    for (const [index, tool] of ['hang', 'slow', 'slices', 'noise'].entries()) play.call(index, tool);
    play.log.length = 0;
    play.performer.release();
    expect(play.log).toEqual(['0 >> tools/call 0', '0 >> tools/call 1', '0 >> tools/call 2 13]']);
    expect(play.clock.waiting).toBe(0);
    for (let id = 0; id < 4; id++) play.respond(id);
    expect(play.waiting).toBe(0);
    play.clock.advance(10_000);
    expect(play.log).toHaveLength(7);
  });

  test('breaks no connection that has not broken yet: what was kept back goes on, and its answer arrives', () => {
    const play = stage([
      ['silence', 'terminal', onRequest((frame) => [hold(frame, 'never'), disconnect('reset', 0, 5000)]), { when: { tool: ['silence'] } }],
      ['slow', 'shaping', onAnswer((frame) => [forward(frame, 9000)]), { when: { tool: ['slow'] } }],
    ]);
    play.call(1, 'silence');
    play.call(2, 'slow');
    play.respond(2);
    play.performer.release();
    play.respond(1);
    play.clock.advance(10_000);
    expect(play.log).toEqual(['0 >> tools/call 2', '0 >> tools/call 1', '0 << answer 2', '0 << answer 1']);
    expect(play.waiting).toBe(0);
  });
});

test('a break that was put off by a slow way is called off, too, and its call goes on', () => {
  const rules = [
    ['break', 'terminal', onRequest(() => [disconnect('reset')])],
    ['slow', 'shaping', onRequest((frame) => [forward(frame, 5000)])],
  ] as const;
  const called = stage([...rules]);
  called.call(1);
  called.performer.release();
  called.respond(1);
  expect(called.log).toEqual(['0 >> tools/call 1', '0 << answer 1']);
  expect(called.waiting).toBe(0);
  const broken = stage([...rules]);
  broken.call(1);
  broken.clock.advance(5000);
  broken.performer.release();
  expect(broken.log).toEqual(['5000 disconnect reset 0']);
  expect(broken.waiting).toBe(0);
});

describe('emits', () => {
  test('repeat as often as asked', () => {
    const play = stage([['noise', 'extra', onRequest(() => [emit('heartbeat', { everyMs: 10, count: 3 })])]]);
    play.call(1);
    play.clock.advance(100);
    expect(play.log).toEqual(['0 >> tools/call 1', '0 emit heartbeat', '10 emit heartbeat', '20 emit heartbeat']);
  });

  test('stop when the session closes', () => {
    const play = stage([['noise', 'extra', onRequest(() => [emit('heartbeat', { everyMs: 10, count: 1000 })])]]);
    play.call(1);
    play.clock.advance(15);
    play.performer.close(play.session);
    play.clock.advance(1000);
    expect(play.log).toHaveLength(3);
    expect(play.clock.waiting).toBe(0);
  });

  test('stop when they are refused, and keep no exchange open', () => {
    let left = 2;
    const play = stage([['noise', 'extra', onRequest(() => [emit('heartbeat', { everyMs: 10, count: 1000 })])]], {
      refuse: (what) => (what === 'emit heartbeat' && left-- === 0 ? 'the client is gone' : undefined),
    });
    play.call(1);
    play.respond(1);
    expect(play.waiting).toBe(0);
    play.clock.advance(1000);
    expect(play.log.filter((line) => line.endsWith('heartbeat'))).toHaveLength(2);
    expect(play.clock.waiting).toBe(0);
  });
});

describe('pacing', () => {
  test('sends slices one after the other; the call ends with the last', () => {
    const play = stage([['slices', 'shaping', onAnswer((frame) => [pace(frame, { sliceBytes: 20, everyMs: 5, afterMs: 100 })])]]);
    play.call(1);
    play.respond(1, { text: 'ab' });
    expect(frameBytes(frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result: { text: 'ab' } }))).toHaveLength(47);
    play.clock.advance(1000);
    expect(play.log.slice(1)).toEqual(['100 << answer 1 [20', '105 << answer 1 20', '110 << answer 1 7]']);
    expect(play.told).toEqual(['slices delivered', 'call 1 ok 110ms slices']);
    expect(play.waiting).toBe(0);
  });

  test('ends with the session, in the middle of a frame', () => {
    const play = stage([['slices', 'shaping', onAnswer((frame) => [pace(frame, { sliceBytes: 1, everyMs: 5 })])]]);
    play.call(1);
    play.respond(1);
    play.performer.close(play.session);
    play.clock.advance(1000);
    expect(play.log).toEqual(['0 >> tools/call 1', '0 << answer 1 [1']);
    expect(play.told.at(-1)).toBe('call 1 no-answer 0ms slices');
  });

  test('always moves on, also with slices of no bytes', () => {
    const play = stage([['slices', 'shaping', onAnswer((frame) => [pace(frame, { sliceBytes: 0, everyMs: 0 })])]]);
    play.call(1);
    play.respond(1);
    play.clock.advance(1);
    expect(play.log.at(-1)).toBe('0 << answer 1 1]');
  });
});

describe('connections, servers and sessions', () => {
  test('a connection is refused with its rule in the journal', () => {
    const play = stage([['refuse', 'terminal', () => [disconnect('refuse', 500)], { trigger: 'connect' }]]);
    expect(play.performer.connect(play.session).effects).toHaveLength(1);
    expect(play.log).toEqual(['0 disconnect refuse 500']);
    expect(play.journal).toMatchObject([
      { kind: 'fault', rule: 'refuse', session: 'default', exchange: 0, method: 'connect', state: 'delivered' },
    ]);
  });

  test('a server is frozen before the request goes on, or it could answer first', () => {
    const play = stage([['freeze', 'extra', onRequest(() => [signalServer('freeze', 2000)])]]);
    play.call(1);
    expect(play.log).toEqual(['0 freeze 2000', '0 >> tools/call 1']);
  });

  test('a crash ends every call that waits, and nothing more of a message in slices is sent', () => {
    const slow = onAnswer((frame) => [pace(frame, { sliceBytes: 10, everyMs: 100 })]);
    const play = stage([
      ['slow', 'shaping', slow],
      ['crash', 'terminal', onRequest(() => [signalServer('crash', 500)]), { at: { nth: [2] } }],
    ]);
    play.call(1);
    play.respond(1);
    play.clock.advance(50);
    play.call(2);
    play.clock.advance(1000);
    expect(play.log.slice(1)).toEqual(['0 << answer 1 [10', '50 crash 500']);
    expect(play.journal.flatMap((entry) => (entry.kind === 'call' ? [[entry.id, entry.outcome]] : []))).toEqual([
      [1, 'disconnected'],
      [2, 'disconnected'],
    ]);
  });

  test('an answer may go into another exchange', () => {
    let first: { frame: Frame; exchange: Exchange } | undefined;
    const swap = onAnswer((frame, _context, exchange) => {
      if (first === undefined) {
        first = { frame, exchange };
        return [hold(frame, 'never')];
      }
      const as = (id: number, of: Frame): Frame => editFrame(of, { jsonrpc: '2.0', id, result: {} });
      return [forward(as(1, frame), 0, first.exchange), forward(as(2, first.frame))];
    });
    const play = stage([['cross', 'terminal', swap]]);
    play.call(1);
    play.call(2);
    play.respond(1);
    play.respond(2);
    expect(play.log.slice(2)).toEqual(['0 << answer 1', '0 << answer 2']);
    expect(play.told).toEqual(['cross delivered', 'cross delivered', 'call 1 ok 0ms cross', 'call 2 ok 0ms cross']);
    expect(play.waiting).toBe(0);
  });

  test('a session takes its era, and a name where names are given, from the introduction', () => {
    const play = stage([], { namesSessions: true });
    play.say({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { clientInfo: { name: 'agent' } } });
    expect(play.session).toMatchObject({ era: 'legacy', label: 'agent#1' });
    play.respond(0);
    play.say({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { clientInfo: { name: 'agent' } } });
    expect(play.session.label).toBe('agent#1');
  });

  test('one session closes without touching another', () => {
    const play = stage([['slow', 'shaping', onAnswer((frame) => [forward(frame, 10)])]]);
    const other = startSession({ label: 'other' });
    play.call(1);
    play.call(1, 'search', other);
    play.respond(1);
    play.respond(1, {}, other);
    play.performer.close(other);
    play.clock.advance(10);
    expect(play.log.filter((line) => line.includes('answer'))).toEqual(['10 << answer 1']);
    expect(play.told.filter((line) => line.startsWith('call'))).toEqual(['call 1 no-answer 0ms slow', 'call 1 ok 10ms slow']);
  });

  test('ten thousand held calls do not make the next one slow or leak', () => {
    const play = stage([['hang', 'terminal', onRequest((frame) => [hold(frame, { ms: 1000 })]), { when: { tool: ['hang'] } }]]);
    for (let id = 0; id < 10_000; id++) play.call(id, 'hang');
    for (let id = 10_000; id < 20_000; id++) {
      play.call(id);
      play.respond(id);
    }
    expect(play.waiting).toBe(10_000);
    play.performer.close(play.session);
    expect(play.waiting).toBe(0);
    expect(play.clock.waiting).toBe(0);
  });
});

describe('a call whose answer can no longer come', () => {
  test('is forgotten once what a rule held of it was let go', () => {
    const play = stage([['block', 'terminal', onRequest((frame) => [hold(frame, 'never')])]]);
    const exchange = play.call(1)!;
    play.performer.abandon(exchange);
    expect(play.told).toEqual(['block delivered', 'call 1 no-answer 0ms block']);
    expect(play.waiting).toBe(1);
    play.performer.release();
    expect(play.waiting).toBe(0);
    expect(play.performer.waiting()).toEqual({ sessions: 0, exchanges: 0 });
  });

  test('is given up after its time, and at once when everything is released', () => {
    const play = stage([]);
    play.performer.abandon(play.call(1)!, 60);
    play.performer.abandon(play.call(2)!, 90);
    play.clock.advance(60);
    expect(play.waiting).toBe(1);
    play.performer.release();
    expect(play.waiting).toBe(0);
    expect(play.told).toEqual(['call 1 no-answer 60ms', 'call 2 no-answer 60ms']);
    expect(play.clock.waiting).toBe(0);
  });
});
