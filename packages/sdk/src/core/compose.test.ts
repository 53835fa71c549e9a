import { describe, expect, test } from 'vitest';
import { compose, type Composition } from './compose.js';
import { answer, disconnect, emit, forward, hold, pace, type Effect } from './effect.js';
import { activateRule, type Engagement } from './engagement.js';
import type { TrafficEvent } from './event.js';
import { defineFault, type FaultRole } from './fault.js';
import { editFrame, frameFromMessage, frameMessage, type Frame } from './frame.js';
import { keyedRandom } from './random.js';
import { openExchange, startSession } from './session.js';

type Decide = (event: TrafficEvent) => readonly Effect[];

/** A rule called `id` that has fired, whose fault says what `decide` says. */
function fired(id: string, role: FaultRole, decide: Decide): Engagement {
  const fault = defineFault({ type: id, summary: 'Made for a test.', carriers: ['mcp'], role, params: {}, decide });
  const active = activateRule(
    { id, fault, params: {}, when: {}, at: {}, probability: 1, shape: { kind: 'iid' }, phase: 'pre', isEnabled: true },
    { random: keyedRandom(1), transport: 'simulator', startedAtMs: 0 },
  );
  const session = startSession();
  return active.draw({ session, scopeKey: 'default/a', tool: 'a', frame: undefined, task: 'default', nowMs: 0 })!;
}

const request = frameFromMessage('to-server', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } });
const response = frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result: { text: '' } });
const exchange = openExchange(startSession(), request, 0);
const asked: TrafficEvent = { kind: 'frame', part: 'request', frame: request, exchange };
const answered: TrafficEvent = { kind: 'frame', part: 'answer', frame: response, exchange };

const names = ({ by }: Composition): string[] => by.map(({ rule }) => rule.id);
const frameOf = (effect: Effect | undefined): Frame | undefined =>
  effect?.kind === 'forward' || effect?.kind === 'pace' ? effect.frame : undefined;

/** Appends a letter to the text of an answer. */
const append =
  (letter: string): Decide =>
  (event) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const { result } = frameMessage(event.frame) as { result: { text: string } };
    return [forward(editFrame(event.frame, { jsonrpc: '2.0', id: 1, result: { text: result.text + letter } }))];
  };
const delay =
  (ms: number, part: 'request' | 'answer' = 'answer'): Decide =>
  (event) =>
    event.kind === 'frame' && event.part === part ? [forward(event.frame, ms)] : [];
const fail: Decide = (event) => (event.kind === 'frame' && event.part === 'request' ? [answer({ id: 1, error: {} })] : []);

test('nobody with anything to say leaves the event alone', () => {
  expect(compose(asked, [fired('quiet', 'terminal', () => [])])).toEqual({ effects: undefined, owners: [], by: [], problems: [] });
  expect(compose({ kind: 'cancel', exchange }, []).effects).toBeUndefined();
});

test('data faults edit in order, each what the one before left', () => {
  const composition = compose(answered, [
    fired('x', 'data', append('x')),
    fired('none', 'data', () => []),
    fired('y', 'data', append('y')),
  ]);
  expect(frameMessage(frameOf(composition.effects?.[0])!)).toMatchObject({ result: { text: 'xy' } });
  expect(composition.effects).toHaveLength(1);
  expect(names(composition)).toEqual(['x', 'y']);
  expect(frameMessage(response)).toMatchObject({ result: { text: '' } });
});

test('what data faults announce goes before the message that they edit', () => {
  const notice = emit(frameFromMessage('to-client', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }), {
    everyMs: 0,
    count: 1,
  });
  const announce: Decide = (event) => [...append('x')(event), notice, hold(response, 'never')];
  const composition = compose(answered, [fired('x', 'data', announce), fired('y', 'data', append('y'))]);
  expect(composition.effects?.map(({ kind }) => kind)).toEqual(['emit', 'forward']);
  expect(frameMessage(frameOf(composition.effects?.[1])!)).toMatchObject({ result: { text: 'xy' } });
  expect(composition.owners.map((owners) => owners.map(({ rule }) => rule.id))).toEqual([['x'], ['x', 'y']]);
});

test('delays add up, on an untouched frame that keeps its identity too', () => {
  const composition = compose(answered, [fired('a', 'shaping', delay(100)), fired('b', 'shaping', delay(20))]);
  expect(composition.effects).toEqual([forward(response, 120)]);
  expect(frameOf(composition.effects?.[0])).toBe(response);
});

test('a delayed data edit is one frame, edited and late', () => {
  const { effects } = compose(answered, [fired('slow', 'shaping', delay(50)), fired('x', 'data', append('x'))]);
  expect(effects).toMatchObject([{ kind: 'forward', afterMs: 50 }]);
  expect(frameMessage(frameOf(effects?.[0])!)).toMatchObject({ result: { text: 'x' } });
});

describe('shaping of made-up answers', () => {
  test('applies what a shaper of answers says', () => {
    const composition = compose(asked, [fired('fail', 'terminal', fail), fired('slow', 'shaping', delay(300))]);
    expect(composition.effects).toMatchObject([{ kind: 'answer', afterMs: 300 }]);
    expect(names(composition)).toEqual(['fail', 'slow']);
  });

  test('applies what a shaper of requests says', () => {
    expect(compose(asked, [fired('slow', 'shaping', delay(300, 'request')), fired('fail', 'terminal', fail)]).effects).toMatchObject([
      { kind: 'answer', afterMs: 300 },
    ]);
  });

  test('delays a broken connection and a timed hold', () => {
    const swallow = fired('swallow', 'terminal', () => [hold(request, { ms: 50 }), disconnect('reset')]);
    const { effects } = compose(asked, [swallow, fired('slow', 'shaping', delay(300, 'request'))]);
    expect(effects).toMatchObject([
      { kind: 'hold', until: { ms: 350 } },
      { kind: 'disconnect', afterMs: 300 },
    ]);
  });

  test('has not acted where another fault left nothing to send', () => {
    const swallow = fired('swallow', 'terminal', () => [hold(request, 'never')]);
    const slow = fired('slow', 'shaping', delay(300, 'request'));
    expect(names(compose(asked, [swallow, slow]))).toEqual(['swallow']);
    expect(slow.why).toBe('another fault left nothing to send');
    const slices = fired('slices', 'shaping', (event) =>
      event.kind === 'frame' ? [pace(event.frame, { sliceBytes: 1, everyMs: 1 })] : [],
    );
    expect(names(compose(asked, [fired('fail', 'terminal', fail), slices]))).toEqual(['fail']);
  });
});

test('pacing turns what is forwarded into slices and keeps its delay', () => {
  const slices: Decide = (event) => (event.kind === 'frame' ? [pace(event.frame, { sliceBytes: 3, everyMs: 5 })] : []);
  const { effects } = compose(answered, [fired('slow', 'shaping', delay(40)), fired('slices', 'shaping', slices)]);
  expect(effects).toEqual([pace(response, { sliceBytes: 3, everyMs: 5, afterMs: 40 })]);
});

test('extra faults add to what happens anyway', () => {
  const heartbeat = emit('heartbeat', { everyMs: 10, count: 2 });
  expect(compose(asked, [fired('more', 'extra', () => [heartbeat])]).effects).toEqual([forward(request), heartbeat]);
  expect(compose(asked, [fired('more', 'extra', () => [heartbeat]), fired('fail', 'terminal', fail)]).effects).toEqual([
    answer({ id: 1, error: {} }),
    heartbeat,
  ]);
});

test('the order of roles does not depend on the order of rules', () => {
  const all = [fired('more', 'extra', () => [disconnect('end')]), fired('slow', 'shaping', delay(7)), fired('x', 'data', append('x'))];
  const kinds = (composition: Composition): string[] | undefined => composition.effects?.map(({ kind }) => kind);
  expect(kinds(compose(answered, all))).toEqual(['forward', 'disconnect']);
  expect(kinds(compose(answered, all.toReversed()))).toEqual(['forward', 'disconnect']);
});

test('suppressed rules and rules that declined for the journal are not asked', () => {
  const silenced = fired('silenced', 'terminal', fail);
  silenced.suppressedBy = 'other';
  const declined = fired('declined', 'terminal', fail);
  Object.assign(declined, { isSettled: true, why: 'it had nothing to do' });
  expect(compose(asked, [silenced, declined]).effects).toBeUndefined();
});

test('cancels and connections collect what everyone says', () => {
  const composition = compose({ kind: 'cancel', exchange }, [
    fired('one', 'extra', () => [emit('heartbeat', { everyMs: 1, count: 1 })]),
    fired('quiet', 'terminal', () => []),
    fired('two', 'terminal', () => [forward(response)]),
  ]);
  expect(composition.effects?.map(({ kind }) => kind)).toEqual(['forward', 'emit']);
  expect(names(composition)).toEqual(['two', 'one']);
});

test('a fault that throws is told of and counts as one that declined', () => {
  const broken = fired('broken', 'data', () => {
    throw new Error('our own mistake');
  });
  const composition = compose(answered, [broken, fired('x', 'data', append('x'))]);
  expect(names(composition)).toEqual(['x']);
  expect(composition.problems).toEqual([new Error('our own mistake')]);
  expect(broken.why).toBe('the fault failed');
  expect(compose({ kind: 'cancel', exchange }, [broken]).problems).toHaveLength(1);
});
