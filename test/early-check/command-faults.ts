/** Scripts for commands to a database: what a client sees of each fault that acts on them. */
import { expect } from 'vitest';
import { quiet, type CommandStage } from './command-stage.js';

/** A script, and the row of the coverage table that it shows. */
export type CommandScenario = {
  readonly name: string;
  readonly fault: string;
  readonly rule: object;
  play(stage: CommandStage): Promise<void>;
};

const GET = { when: { tool: 'GET' } };
const isSilentFor = async ({ clock, send, executed }: CommandStage, ms: number, isExecuted: boolean): Promise<void> => {
  let isAnswered = false;
  void send('SET', 'k', 'v').then(() => (isAnswered = true));
  await quiet();
  clock.advance(ms);
  await quiet();
  expect([isAnswered, executed.length]).toEqual([false, isExecuted ? 1 : 0]);
};
const isTurnedAway =
  (message: RegExp) =>
  async ({ send, executed }: CommandStage): Promise<void> => {
    await expect(send('GET', 'a')).rejects.toThrow(message);
    expect(executed).toEqual([]);
  };
const changes =
  (value: unknown, check: (changed: unknown) => void) =>
  async ({ send, data }: CommandStage): Promise<void> => {
    data.set('a', value);
    check(await send('GET', 'a'));
  };
const isLate =
  (ms: number) =>
  async ({ clock, send }: CommandStage): Promise<void> => {
    let reply: unknown;
    void send('GET', 'a').then((value) => (reply = value));
    await quiet();
    clock.advance(ms - 1);
    await quiet();
    expect(reply).toBeUndefined();
    clock.advance(1);
    await quiet();
    expect(reply).toBe('one');
  };
const two = async ({ send, data }: CommandStage): Promise<readonly unknown[]> => {
  data.set('b', 'two');
  const order: unknown[] = [];
  const replies = await Promise.all(
    ['a', 'b'].map((key) =>
      send('GET', key).then((value) => {
        order.push(key);
        return value;
      }),
    ),
  );
  return [replies, order];
};

/** One per row of the table that commands have a part in. */
export const commandFaults: readonly CommandScenario[] = [
  { name: 'latency', fault: 'latency', rule: { params: { addedMs: 80 } }, play: isLate(80) },
  { name: 'hang', fault: 'hang', rule: {}, play: (stage) => isSilentFor(stage, 3_600_000, false) },
  { name: 'lost-ack', fault: 'lost-ack', rule: {}, play: (stage) => isSilentFor(stage, 3_600_000, true) },
  { name: 'blackhole', fault: 'blackhole', rule: { params: { forMs: 500 } }, play: (stage) => isSilentFor(stage, 400, false) },
  { name: 'error-response', fault: 'error-response', rule: {}, play: isTurnedAway(/^ERR Internal error$/) },
  { name: 'rate-limit', fault: 'rate-limit', rule: {}, play: isTurnedAway(/^ERR Rate limit exceeded/) },
  {
    name: 'quota',
    fault: 'quota',
    rule: { params: { calls: 1 } },
    async play(stage) {
      expect(await stage.send('GET', 'a')).toBe('one');
      await expect(stage.send('GET', 'a')).rejects.toThrow(/^ERR /);
    },
  },
  {
    name: 'concurrency-limit',
    fault: 'concurrency-limit',
    rule: {},
    async play({ send }) {
      const [first, second] = await Promise.allSettled([send('GET', 'a'), send('GET', 'a')]);
      expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
    },
  },
  {
    name: 'connection-drop',
    fault: 'connection-drop',
    rule: { phase: 'post' },
    async play({ send, data, broken }) {
      await expect(send('SET', 'k', 'v')).rejects.toThrow('Connection lost');
      expect([data.get('k'), broken]).toEqual(['v', ['reset']]);
    },
  },
  {
    name: 'connection-drop, ended',
    fault: 'connection-drop',
    rule: { params: { how: 'end' } },
    async play({ send, executed, broken }) {
      await expect(send('GET', 'a')).rejects.toThrow('Connection lost');
      expect([executed, broken]).toEqual([[], ['end']]);
    },
  },
  {
    name: 'connection-refused',
    fault: 'connection-refused',
    rule: {},
    async play({ connecting, clock }) {
      expect([connecting(), connecting()]).toEqual(['refuse', 'refuse']);
      clock.advance(4999);
      expect(connecting()).toBe('refuse');
    },
  },
  {
    name: 'crash',
    fault: 'crash',
    rule: {},
    async play({ send, connecting, broken }) {
      await expect(send('GET', 'a')).rejects.toThrow('Connection lost');
      expect([connecting(), broken]).toEqual(['refuse', ['reset']]);
    },
  },
  { name: 'freeze', fault: 'freeze', rule: { params: { forMs: 70 } }, play: isLate(70) },
  { name: 'do-nothing', fault: 'do-nothing', rule: {}, play: changes('x', (reply) => expect(reply).toBe('x')) },
  {
    name: 'double-execute',
    fault: 'double-execute',
    rule: {},
    async play({ send, executed }) {
      expect(await send('SET', 'k', 'v')).toBe('OK');
      expect(executed).toEqual(['SET k', 'SET k']);
    },
  },
  {
    name: 'silent-noop',
    fault: 'silent-noop',
    rule: {},
    async play({ send, executed }) {
      expect(await send('SET', 'k', 'v')).toBe('OK');
      expect(executed).toEqual([]);
    },
  },
  { name: 'empty-result', fault: 'empty-result', rule: GET, play: changes(['x', 'y'], (reply) => expect(reply).toEqual([])) },
  {
    name: 'stale-result',
    fault: 'stale-result',
    rule: GET,
    async play({ send, data }) {
      expect(await send('GET', 'a')).toBe('one');
      data.set('a', 'newer');
      expect(await send('GET', 'a')).toBe('one');
    },
  },
  {
    name: 'partial-result',
    fault: 'partial-result',
    rule: GET,
    play: changes(['x', 'y', 'z', 'u'], (reply) => expect(reply).toEqual(['x', 'y'])),
  },
  {
    name: 'wrong-value',
    fault: 'wrong-value',
    rule: GET,
    play: changes('{"total":125}', (reply) => {
      const { total } = JSON.parse(reply as string) as { total: unknown };
      expect(typeof total).toBe('number');
      expect(total).not.toBe(125);
    }),
  },
  {
    name: 'schema-drift',
    fault: 'schema-drift',
    rule: GET,
    play: changes('{"total":125,"city":"Bern"}', (reply) => expect(JSON.parse(reply as string)).not.toEqual({ total: 125, city: 'Bern' })),
  },
  {
    name: 'truncate-text',
    fault: 'truncate-text',
    rule: GET,
    play: changes('one two three four', (reply) => expect('one two three four'.startsWith(reply as string)).toBe(true)),
  },
  {
    name: 'inject-text',
    fault: 'inject-text',
    rule: { ...GET, params: { payload: 'Ignore that.' } },
    play: changes('a note', (reply) => expect(reply).toContain('Ignore that.')),
  },
  {
    name: 'cross-wire',
    fault: 'cross-wire',
    rule: GET,
    async play(stage) {
      expect((await two(stage))[0]).toEqual(['two', 'one']);
    },
  },
  {
    name: 'reorder',
    fault: 'reorder',
    rule: GET,
    async play(stage) {
      expect(await two(stage)).toEqual([
        ['one', 'two'],
        ['b', 'a'],
      ]);
    },
  },
  {
    name: 'head-of-line-blocking',
    fault: 'head-of-line-blocking',
    rule: { params: { blockMs: 90 }, at: { first: 1 } },
    async play(stage) {
      const replies = two(stage);
      await quiet();
      expect(stage.executed).toEqual([]);
      stage.clock.advance(90);
      expect(await replies).toEqual([
        ['one', 'two'],
        ['a', 'b'],
      ]);
    },
  },
];
