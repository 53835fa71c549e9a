import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { printable } from '../../reporters/escape.js';
import { duration } from '../../reporters/figures.js';
import { defineCommand, EXIT, textOf } from '../command.js';

/** Live events of a running proxy. */
export const events = defineCommand({
  name: 'events',
  summary: 'Follows a running proxy: every call, fault and change of its rules as it happens, until Ctrl-C.',
  options: [
    { flag: '--url', kind: 'text', value: 'URL', about: 'The admin address that the proxy printed.', isRequired: true },
    { flag: '--json', kind: 'switch', about: 'Print journal entries as lines of JSON.' },
  ],
  examples: ['toolquake events --url http://127.0.0.1:9901', 'toolquake events --json --url http://127.0.0.1:9901 > live.jsonl'],
  async handle({ options }, io) {
    const { followEvents } = await import('../../operations/follow-events.js');
    try {
      for await (const { name, data } of followEvents({ url: textOf(options['url']) ?? '', env: io.env, signal: io.signal })) {
        const isEntry = name !== 'dropped';
        if (!isEntry) io.stderr.write(`toolquake: too slow, entries were lost: ${data}\n`);
        else io.stdout.write(`${options['json'] === true ? data : lineOf(data)}\n`);
      }
    } catch (error) {
      // Ctrl-C is how one stops listening.
      if (!io.signal.aborted) throw error;
      return EXIT.interrupted;
    }
    io.stderr.write('toolquake: the proxy has ended\n');
    return EXIT.pass;
  },
});

const word = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Words of an entry by its kind; other kinds are known by their name alone. */
const WORDS: Readonly<Record<string, (entry: JsonObject) => readonly string[]>> = {
  call: ({ tool, outcome, latencyMs, session }) => [
    word(tool),
    word(outcome),
    typeof latencyMs === 'number' ? duration(latencyMs) : '',
    word(session),
  ],
  fault: ({ rule, fault, state, tool, by, why }) => [word(rule), word(fault), word(state), word(tool), word(by), word(why)],
  control: ({ what, by, added, removed }) => [word(what), `by ${word(by)}`, ...namesOf(added), ...namesOf(removed)],
  boundary: ({ task, state, outcome }) => [word(task), word(state), word(outcome)],
  problem: ({ message }) => [word(message)],
};

const namesOf = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.map((one: unknown) => (isObject(one) ? word(one['id']) : word(one))) : [];

function entryOf(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function lineOf(data: string): string {
  const entry = entryOf(data);
  if (entry === undefined) return printable(data);
  const kind = word(entry['kind']);
  const about = Object.hasOwn(WORDS, kind) ? (WORDS[kind]?.(entry) ?? []) : [];
  const atMs = typeof entry['atMs'] === 'number' ? entry['atMs'] : 0;
  return printable([`${(atMs / 1000).toFixed(3).padStart(9)} s`, kind.padEnd(8), ...about.filter((text) => text !== '')].join('  '));
}
