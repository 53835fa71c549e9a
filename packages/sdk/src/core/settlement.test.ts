import { describe, expect, test } from 'vitest';
import { answer, disconnect, emit, forward, hold } from './effect.js';
import { onAnswer, onRequest, refusal, stage, type Decide } from './fixtures/stage.js';
import { editFrame, frameFromMessage } from './frame.js';

describe('the journal', () => {
  test('settles each rule once per exchange: delivered, suppressed, or not delivered and why', () => {
    const play = stage([
      ['stop', 'terminal', onAnswer((frame, _context, { id }) => [forward(editFrame(frame, { jsonrpc: '2.0', id, error: {} }))])],
      ['beaten', 'terminal', refusal],
      ['declines', 'extra', onRequest((_frame, context) => context.notDelivered('it was Tuesday'))],
      ['misses', 'extra', () => []],
    ]);
    play.call(1);
    play.respond(1);
    play.respond(1);
    play.performer.close(play.session);
    expect(play.told).toEqual([
      'beaten suppressed by stop',
      'declines not-delivered: it was Tuesday',
      'stop delivered',
      'call 1 rpc-error 0ms stop',
      'misses not-delivered: the answer held nothing to change',
    ]);
    expect([...play.performer.fired]).toEqual([['stop', 1]]);
    expect(play.performer.calls).toBe(1);
  });

  test('keeps to what was changed when the fault was settled, whatever it notes later', () => {
    const noteLater: (() => void)[] = [];
    const edits = onAnswer((frame, context) => {
      context.changed('/structuredContent/a', 1, 2);
      noteLater.push(() => context.changed('/structuredContent/b', 1, 2));
      return [forward(frame)];
    });
    const play = stage([['edit', 'data', edits]]);
    play.call(1);
    play.respond(1);
    for (const note of noteLater) note();
    const entries = play.journal.filter(({ kind }) => kind === 'fault');
    expect(entries).toMatchObject([{ state: 'delivered', changes: [{ path: '/structuredContent/a' }] }]);
    expect(noteLater).toHaveLength(1);
  });

  test('settles what waits for an answer that a made-up one forestalls', () => {
    const play = stage([
      ['fail', 'terminal', refusal],
      ['after', 'extra', onAnswer(() => [disconnect('end')])],
    ]);
    play.call(1);
    expect(play.told).toEqual([
      'fail delivered',
      'call 1 rpc-error 0ms fail',
      'after not-delivered: the call was over before it could act',
    ]);
    expect(play.waiting).toBe(0);
  });

  test('settles what waits for the answer of a notification', () => {
    const play = stage([['after', 'extra', onAnswer(() => [disconnect('end')]), { when: { method: ['notifications/*'] } }]]);
    play.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(play.told).toEqual(['after not-delivered: a notification gets no answer']);
  });

  test('settles what never came when the session closes', () => {
    const play = stage([['after', 'extra', onAnswer(() => [disconnect('end')])]]);
    play.call(1);
    play.call(2);
    play.cancel(2);
    play.performer.close(play.session);
    expect(play.told).toEqual([
      'call 2 cancelled 0ms',
      'after not-delivered: the client cancelled first',
      'after not-delivered: no answer came',
      'call 1 no-answer 0ms',
    ]);
    play.performer.close(play.session);
    expect(play.journal).toHaveLength(4);
  });

  test('settles each rule by its own effects, when another one is refused', () => {
    const play = stage(
      [
        ['slow', 'shaping', onRequest((frame) => [forward(frame, 500)])],
        ['noise', 'extra', onRequest(() => [emit('heartbeat', { everyMs: 1, count: 1 })])],
      ],
      { refuse: (what) => (what.includes('heartbeat') ? 'no stream' : undefined) },
    );
    play.call(1);
    expect(play.told).toEqual(['slow delivered', 'noise not-delivered: no stream']);
    expect([...play.performer.fired]).toEqual([['slow', 1]]);
  });

  test('still tells of a call whose id was used again before it was answered', () => {
    const play = stage([['lost', 'terminal', onAnswer((frame) => [hold(frame, 'never')])]]);
    play.call(1);
    play.call(1);
    play.respond(1);
    play.performer.close(play.session);
    expect([...play.told].sort()).toEqual([
      'call 1 no-answer 0ms',
      'call 1 no-answer 0ms lost',
      'lost delivered',
      'lost not-delivered: no answer came',
    ]);
  });

  test('forgets a doubled call once both answers came: a release brings no third', () => {
    const twice: Decide = (event) => {
      if (event.kind !== 'frame') return [];
      if (event.part === 'request') return [forward(event.frame), forward(event.frame)];
      return event.exchange.answers > 1 ? [hold(event.frame, 'never')] : [];
    };
    const play = stage([['twice', 'terminal', twice]]);
    play.call(1);
    play.respond(1);
    play.respond(1);
    expect(play.waiting).toBe(0);
    play.performer.release();
    expect(play.log).toEqual(['0 >> tools/call 1', '0 >> tools/call 1', '0 << answer 1']);
  });

  test.each([
    ['a lost answer and a cancel', true],
    ['a cancel alone', false],
  ])('forgets the call after %s', (_what, isAnswered) => {
    const play = stage([['lost', 'terminal', onAnswer((frame) => [hold(frame, 'never')])]]);
    play.call(1);
    if (isAnswered) play.respond(1);
    play.cancel(1);
    expect(play.waiting).toBe(0);
    play.performer.release();
    expect(play.log.filter((line) => line.includes('<<'))).toEqual([]);
    expect(play.told.filter((line) => line.startsWith('lost'))).toHaveLength(1);
  });

  test('never sends on a request that was kept back until its caller gave up', () => {
    const play = stage([
      ['hang', 'terminal', onRequest((frame) => [hold(frame, 'never')]), { when: { tool: ['hang'] } }],
      ['slow', 'shaping', onRequest((frame) => [forward(frame, 500)]), { when: { tool: ['slow'] } }],
    ]);
    play.call(1, 'hang');
    play.call(2, 'slow');
    play.cancel(1);
    play.cancel(2);
    play.clock.advance(1000);
    play.performer.release();
    expect(play.log.filter((line) => line.includes('>> tools/call'))).toEqual([]);
  });

  test('tells results, tool errors, protocol errors, HTTP errors and broken connections apart', () => {
    const play = stage([
      ['http', 'terminal', onRequest(() => [answer(undefined, { status: 503 })]), { when: { tool: ['http'] } }],
      ['cut', 'terminal', onRequest((frame) => [hold(frame, 'never'), disconnect('reset')]), { when: { tool: ['cut'] } }],
      ['mangle', 'data', onAnswer((frame) => [forward(editFrame(frame, 'no message'))]), { when: { tool: ['mangle'] } }],
    ]);
    play.call(1);
    play.respond(1);
    play.call(2);
    play.respond(2, { isError: true });
    play.call(3, 'http');
    play.call(4, 'cut');
    play.call(5, 'mangle');
    play.respond(5);
    const calls = play.journal.filter((entry) => entry.kind === 'call');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['ok', 'tool-error', 'http-error', 'disconnected', 'rpc-error']);
    expect(calls.map(({ isAltered }) => isAltered === true)).toEqual([false, false, false, false, true]);
  });

  test('records tool calls of the client as calls, and nothing else', () => {
    const play = stage([]);
    play.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    play.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }, 'to-client');
    play.respond(1);
    play.performer.close(play.session);
    expect(play.journal).toEqual([]);
    expect(play.waiting).toBe(0);
  });

  test('writes a call after its faults also when the transport answers within the send', () => {
    const twice = onRequest((frame) => [forward(frame), forward(frame)]);
    const passes = onAnswer((frame) => [forward(frame)]);
    const play = stage(
      [
        ['twice', 'terminal', twice],
        ['passes', 'shaping', passes],
      ],
      { onSend: (frame) => frame.direction === 'to-server' && play.respond(1) },
    );
    play.call(1);
    expect(play.told).toEqual(['passes delivered', 'twice delivered', 'call 1 ok 0ms twice+passes']);
    expect(play.log).toEqual(['0 >> tools/call 1', '0 << answer 1', '0 >> tools/call 1', '0 << answer 1']);
    expect(play.waiting).toBe(0);
  });

  test('leaves a fault that is at work unsettled when the answer arrives within its send', () => {
    const play = stage([['twice', 'terminal', onRequest((frame) => [forward(frame), forward(frame)])]], {
      onSend: (frame) => frame.direction === 'to-server' && play.respond(1),
    });
    play.call(1);
    expect(play.told).toEqual(['twice delivered', 'call 1 ok 0ms twice']);
  });
});

describe('what cannot be done', () => {
  test('is journalled, and the event goes on untouched', () => {
    const play = stage([['http', 'terminal', onRequest(() => [answer(undefined, { status: 503 })])]], {
      refuse: (what) => (what.startsWith('reply') ? 'there is no HTTP here' : undefined),
    });
    play.call(1);
    play.respond(1);
    expect(play.log).toEqual(['0 >> tools/call 1', '0 << answer 1']);
    expect(play.told).toEqual(['http not-delivered: there is no HTTP here', 'call 1 ok 0ms']);
    expect(play.waiting).toBe(0);
  });

  test('is not asked of an exchange that is not there', () => {
    const play = stage([
      [
        'meet',
        'terminal',
        (event) => (event.kind === 'connect' ? [answer(undefined), hold(frameFromMessage('to-client', {}), 'never')] : []),
        { trigger: 'connect' },
      ],
    ]);
    expect(play.performer.connect(play.session).effects).toBeUndefined();
    expect(play.told).toEqual(['meet not-delivered: there is no exchange to hold back']);
  });

  test('does not take the rest down: a fault that throws passes the traffic and is told of', () => {
    const play = stage([
      [
        'broken',
        'terminal',
        () => {
          throw new Error('our own mistake');
        },
      ],
      ['slow', 'shaping', onAnswer((frame) => [forward(frame, 10)])],
    ]);
    play.call(1);
    play.respond(1);
    play.clock.advance(10);
    expect(play.log).toEqual(['0 >> tools/call 1', '10 << answer 1']);
    expect(play.problems).toEqual([new Error('our own mistake')]);
    expect(play.told).toEqual(['broken not-delivered: the fault failed', 'slow delivered', 'call 1 ok 10ms slow']);
    expect(play.waiting).toBe(0);
  });

  test('does not take the rest down: an end that throws counts as one that refuses', () => {
    let isBroken = true;
    const play = stage(
      [
        ['edit', 'data', onAnswer((frame) => [forward(editFrame(frame, {}))])],
        ['slow', 'shaping', onRequest((frame) => [forward(frame, 5)])],
      ],
      {
        refuse: () => {
          if (isBroken) throw new Error('cannot be serialised');
          return undefined;
        },
      },
    );
    play.call(1);
    play.clock.advance(5);
    isBroken = false;
    expect(play.problems).toHaveLength(1);
    isBroken = true;
    expect(() => play.respond(1)).toThrow('cannot be serialised'); // the relay of the transport itself, after the performer gave the frame back
    expect(play.problems).toHaveLength(2);
    expect(play.told).toContain('edit not-delivered: it failed while it was performed');
  });
});
