/** What a run writes while it goes on, to a terminal and to a log. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runJournal, STORIES } from '../reporters/fixtures/run-journals.js';
import type { CommandIo } from './command.js';
import { startLiveRun } from './live-run.js';

/** A stream that remembers; of a terminal, how wide it is. */
function screen(columns: number | undefined): { readonly stream: CommandIo['stdout'] & { columns: number }; readonly written: string[] } {
  const written: string[] = [];
  const stream = { isTTY: columns !== undefined, columns, write: (text: string) => (written.push(text), true) };
  // Only what is asked of it here.
  return { stream: stream as unknown as CommandIo['stdout'] & { columns: number }, written };
}

const story = runJournal(STORIES.violated).filter((entry) => entry.kind !== 'sample' || entry.atMs < 3000);

describe('a run while it goes on', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('on a terminal the figures are one line, written over, and gone before the next line', () => {
    const { stream, written } = screen(80);
    const live = startLiveRun({ stream, env: { NO_COLOR: '1' }, nowMs: () => 1000 });
    for (const entry of story.slice(0, 40)) live.entry(entry);
    vi.advanceTimersByTime(1000);
    expect(written.slice(-2).every((text) => text.startsWith('\r\u001b[K  00:01.0  '))).toBe(true);
    const shown = written.length;
    for (const entry of story) live.entry(entry);
    expect(written[shown]).toBe('\r\u001b[K');
    live.close();
    vi.advanceTimersByTime(60_000);
    expect(written.at(-1)).not.toContain('00:01.0');
  });

  test('with NO_COLOR, in a log, nothing but text is written, and the figures come seldom', () => {
    const { stream, written } = screen(undefined);
    const live = startLiveRun({ stream, env: { NO_COLOR: '1' }, nowMs: () => 1000 });
    for (const entry of story) live.entry(entry);
    const before = written.length;
    vi.advanceTimersByTime(29_000);
    expect(written).toHaveLength(before);
    vi.advanceTimersByTime(1000);
    expect(written).toHaveLength(before + 1);
    live.close();
    // eslint-disable-next-line no-control-regex -- escape sequences are what this looks for
    expect(written.join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test('a terminal that was made narrower, or does not know its width, gets lines that it can hold', () => {
    const { stream, written } = screen(0);
    const live = startLiveRun({ stream, env: {}, nowMs: () => 1000 });
    for (const entry of story.slice(0, 40)) live.entry(entry);
    expect(written.join('')).toContain('external probe: 2 probes in the last 10 s, both up');
    stream.columns = 30;
    vi.advanceTimersByTime(500);
    expect(written.at(-1)!.replace('\r\u001b[K', '').length).toBeLessThan(30);
    live.close();
  });
});
