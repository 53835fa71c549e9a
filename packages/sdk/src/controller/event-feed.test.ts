import fc from 'fast-check';
import { expect, test } from 'vitest';
import { handClock } from '../core/fixtures/hand-clock.js';
import type { JournalEntry } from '../core/journal.js';
import { createEventFeed } from './event-feed.js';

const problem = (message: string): JournalEntry => ({ kind: 'problem', atMs: 1, message });
const text = (entry: JournalEntry): string => `event: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`;
const opened = (bounds: Partial<Parameters<typeof createEventFeed>[0]> = {}) => {
  const clock = handClock();
  const feed = createEventFeed({ clock, ...bounds });
  const stream = feed.open()!;
  const read = async (): Promise<string | undefined> => (await stream.next()).value;
  return { clock, feed, stream, read };
};

test('a listener hears entries as they are made, and what waited comes in one piece', async () => {
  const { feed, read } = opened();
  expect(await read()).toBe(': open\n\n');
  const next = read();
  feed.publish(problem('one\ntwo'));
  expect(await next).toBe(text(problem('one\ntwo')));
  feed.publish(problem('a'));
  feed.publish(problem('b'));
  expect(await read()).toBe(text(problem('a')) + text(problem('b')));
});

test('a slow listener loses entries, is told how many, and hears the next ones again', async () => {
  const { feed, read } = opened({ maxQueued: 3 });
  for (const message of ['a', 'b', 'c', 'd']) feed.publish(problem(message));
  expect(await read()).toBe(`: open\n\n${text(problem('a'))}${text(problem('b'))}event: dropped\ndata: {"dropped":2}\n\n`);
  expect(feed.dropped).toBe(2);
  feed.publish(problem('e'));
  expect(await read()).toBe(text(problem('e')));
});

test('whatever is published and read when, a listener gets every entry in order or is told that it was dropped', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('publish', 'read')), async (steps) => {
      const { feed, stream, read } = opened({ maxQueued: 4, maxQueuedCharacters: 200 });
      let published = 0;
      const reads: Promise<string | undefined>[] = [];
      for (const step of steps) {
        if (step === 'publish') feed.publish(problem(String(published++)));
        else reads.push(read());
      }
      feed.close();
      let heard = (await Promise.all(reads)).join('');
      for await (const piece of stream) heard += piece;
      const numbers = [...heard.matchAll(/"message":"(\d+)"/g)].map(([, digits]) => Number(digits));
      const lost = [...heard.matchAll(/"dropped":(\d+)/g)].reduce((sum, [, digits]) => sum + Number(digits), 0);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(numbers.length + lost).toBe(published);
      expect(lost).toBe(feed.dropped);
    }),
  );
});

test('silence is broken by comments, and only then', async () => {
  const { clock, feed, read } = opened({ heartbeatMs: 1000 });
  await read();
  const quiet = read();
  clock.advance(1000);
  expect(await quiet).toBe(': still here\n\n');
  const busy = read();
  feed.publish(problem('a'));
  await busy;
  clock.advance(5000);
  const later = read();
  feed.publish(problem('b'));
  expect(await later).toBe(text(problem('b')));
});

test('streams are limited, a reader that leaves makes room, and nobody listens after the end', async () => {
  const { feed, stream } = opened({ maxStreams: 2 });
  const second = feed.open()!;
  expect(feed.open()).toBeUndefined();
  const pending = (await stream.next()) && stream.next();
  await stream.return!();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(feed.streams).toBe(1);
  expect(feed.open()).toBeDefined();
  feed.publish(problem('last'));
  feed.close();
  expect((await second.next()).value).toContain('last');
  expect(await second.next()).toEqual({ done: true, value: undefined });
  expect([feed.open(), feed.streams]).toEqual([undefined, 0]);
});
