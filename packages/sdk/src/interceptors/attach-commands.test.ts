import { describe, expect, test } from 'vitest';
import type { Run } from '../controller/run.js';
import { startPlan } from '../controller/start-plan.js';
import { createManualClock } from '../testing/manual-clock.js';
import { attachCommands, type AttachedCommands } from './attach-commands.js';
import type { Command } from './command-ends.js';

/** A database of one page, whose client loses its connection in its own words. */
function openDatabase(rules: readonly object[]) {
  const clock = createManualClock();
  const run: Run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true, clock });
  const data = new Map<string, unknown>();
  const executed: string[] = [];
  const broken: string[] = [];
  const attached: AttachedCommands = attachCommands(run, {
    target: 'cache',
    client: {
      errorOf: ({ message }) => new Error(`ERR ${String(message)}`),
      lose(how, command) {
        broken.push(how);
        if (command !== undefined) throw new Error('Connection lost');
        return undefined;
      },
    },
    restore: () => void broken.push('restored'),
  });
  const send = (name: string, key: string, value?: unknown): Promise<unknown> => {
    const command: Command = {
      name,
      args: { key },
      execute() {
        executed.push(`${name} ${key}`);
        if (name === 'SET') data.set(key, value);
        return name === 'SET' ? 'OK' : (data.get(key) ?? null);
      },
    };
    return (attached.isWatched ? attached.perform(command)?.outcome : undefined) ?? Promise.resolve(command.execute());
  };
  return { run, clock, attached, send, data, executed, broken };
}

/** Everything that promises still have to say was said. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('commands of a database', () => {
  test('pass as they are while no rule looks, and are found by name without case, by argument and by target', async () => {
    const rule = { id: 'no', fault: 'error-response', params: { message: 'busy' } };
    for (const when of [{ tool: 'set' }, { tool: 'GET', args: { key: 'b' } }, { target: 'other' }, { method: 'tools/call' }]) {
      const { send, run } = openDatabase([{ ...rule, when }]);
      expect(await send('GET', 'a')).toBeNull();
      expect(run.fired('no')).toBe(0);
    }
    for (const when of [{}, { tool: 'get' }, { args: { key: 'a' } }, { target: 'cache' }, { method: 'command' }]) {
      const { send, executed } = openDatabase([{ ...rule, when }]);
      await expect(send('GET', 'a')).rejects.toThrow('ERR busy');
      expect(executed).toEqual([]);
    }
  });

  test('are executed although their reply is lost, and twice where they are doubled', async () => {
    const lost = openDatabase([{ fault: 'lost-ack', params: { mode: 'reset' }, when: { tool: 'SET' } }]);
    await expect(lost.send('SET', 'a', 'x')).rejects.toThrow('Connection lost');
    expect([lost.data.get('a'), lost.broken]).toEqual(['x', ['reset']]);
    const double = openDatabase([{ fault: 'double-execute' }]);
    expect(await double.send('SET', 'a', 'x')).toBe('OK');
    expect(double.executed).toEqual(['SET a', 'SET a']);
  });

  test('are late by the clock of the run, and wait for ever where they hang', async () => {
    const { clock, send, run } = openDatabase([
      { id: 'slow', fault: 'latency', params: { addedMs: 500 }, at: { nth: 1 } },
      { fault: 'hang', at: { nth: 2 } },
    ]);
    let reply: unknown = 'nothing';
    void send('GET', 'a').then((value) => (reply = value));
    await quiet();
    clock.advance(499);
    await quiet();
    expect(reply).toBe('nothing');
    clock.advance(1);
    await quiet();
    expect(reply).toBeNull();
    let hasAnswered = false;
    void send('GET', 'a').then(() => (hasAnswered = true));
    clock.advance(3_600_000);
    await quiet();
    expect(hasAnswered).toBe(false);
    run.stop();
    await quiet();
    expect(hasAnswered).toBe(true);
  });

  test('lose what is in a reply, or get an earlier one', async () => {
    const empty = openDatabase([{ fault: 'empty-result', when: { tool: 'GET' } }]);
    for (const [value, nothing] of [
      ['text', null],
      [['a', 'b'], []],
      [7, null],
      [{ a: 1 }, {}],
    ] as const) {
      await empty.send('SET', 'k', value);
      expect(await empty.send('GET', 'k')).toEqual(nothing);
    }
    const stale = openDatabase([{ fault: 'stale-result', when: { tool: 'GET' } }]);
    const buffer = new Uint8Array([1]);
    for (const value of ['old', 'new']) {
      await stale.send('SET', 'k', value);
      expect(await stale.send('GET', 'k')).toBe('old');
    }
    await stale.send('SET', 'k', buffer);
    // What no fault can edit passes as the very object.
    expect(await stale.send('GET', 'k')).toBe(buffer);
  });

  test('wait while the server stands still, also those that no rule looks at', async () => {
    const { clock, send } = openDatabase([{ fault: 'freeze', params: { forMs: 100 }, when: { tool: 'SET' } }]);
    const seen: unknown[] = [];
    for (const [name, value] of [
      ['SET', 'x'],
      ['GET', undefined],
    ] as const)
      void send(name, 'k', value).then((reply) => seen.push(reply));
    clock.advance(99);
    await quiet();
    expect(seen).toEqual([]);
    clock.advance(1);
    await quiet();
    expect(new Set(seen)).toEqual(new Set(['OK', 'x']));
  });

  test('are given up by their client, and never executed afterwards', async () => {
    const { attached, clock } = openDatabase([{ fault: 'latency', phase: 'pre', params: { addedMs: 50 } }]);
    let runs = 0;
    const inHand = attached.perform({ name: 'GET', args: {}, execute: () => runs++ });
    inHand!.giveUp(new Error('Command timed out'));
    await expect(inHand!.outcome).rejects.toThrow('Command timed out');
    clock.advance(100);
    expect(runs).toBe(0);
  });

  test('are refused a connection for as long as the server is down', async () => {
    const { attached, send, clock, broken } = openDatabase([{ fault: 'crash', params: { downMs: 1000 }, when: { tool: 'SET' } }]);
    expect(attached.connecting()).toBeUndefined();
    await expect(send('SET', 'k', 'x')).rejects.toThrow('Connection lost');
    expect([attached.connecting(), broken]).toEqual(['refuse', ['reset']]);
    clock.advance(1000);
    expect(attached.connecting()).toBeUndefined();
    const refusing = openDatabase([{ id: 'down', fault: 'connection-refused', params: { forMs: 0 }, at: { first: 1 } }]);
    expect([refusing.attached.connecting(), refusing.attached.connecting()]).toEqual(['refuse', undefined]);
    expect(refusing.run.fired('down')).toBe(1);
  });

  test('refuse what a database cannot show, with the list of what it can', () => {
    const { run } = openDatabase([]);
    expect(() => run.use({ fault: 'http-status' })).toThrow(/cannot act on cache: it acts on http, and database carries command/);
    expect(() => run.use({ fault: 'tool-error' })).toThrow(/database carries command/);
    try {
      run.use({ fault: 'stream-cut' });
    } catch (error) {
      expect((error as { advice: string }).advice).toMatch(/What can: .*latency.*lost-ack/);
    }
  });

  test('leave one branch when everything is put back', async () => {
    const { run, attached, send, broken } = openDatabase([{ fault: 'error-response' }]);
    run.stop();
    expect([attached.isWatched, broken]).toEqual([false, ['restored']]);
    expect(await send('GET', 'a')).toBeNull();
  });
});
