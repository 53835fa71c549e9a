/** The journal of an experiment: on disk line by line, in memory for the verdict, and without secrets in both. */
import type { ToolquakeError } from '@toolquake/sdk/core';
import type { RunEntry } from '../core/run-entry.js';
import { openLines } from './journal-file.js';

/** Shorter texts are no secrets, and taking them out would tear words apart. */
const SHORTEST_SECRET = 6;

/** An open journal. */
export type ExperimentJournal = {
  /** Never throws: what cannot be written is told by `failure`. */
  record(entry: RunEntry): void;
  entries(): readonly RunEntry[];
  /** Why nothing is written any more. A run that cannot be written down must stop. */
  failure(): ToolquakeError | undefined;
  close(): Promise<void>;
};

/** Opens a new journal. `secrets` are texts that may stand in no entry, whoever said them. */
export function openExperimentJournal(
  path: string,
  {
    secrets,
    onEntry,
    tell,
  }: { readonly secrets: readonly string[]; readonly onEntry: (entry: RunEntry) => void; readonly tell: (line: string) => void },
): ExperimentJournal {
  const clean = withoutSecrets(secrets);
  const entries: RunEntry[] = [];
  const file = openLines<string>(path, tell, {
    title: 'The journal',
    lineOf: (line) => `${line}\n`,
    droppedLine: (count) => `${JSON.stringify({ kind: 'note', atMs: 0, text: `${count} entries were dropped: the disk is too slow` })}\n`,
  });
  return {
    record(given) {
      const text = JSON.stringify(given);
      const line = clean(text);
      const entry = line === text ? given : (JSON.parse(line) as RunEntry);
      entries.push(entry);
      file.append(line);
      onEntry(entry);
    },
    entries: () => entries,
    failure: file.failure,
    close: file.close,
  };
}

/** Takes secrets out of a text, also as they look inside JSON. The longest first: one may be part of another. */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const spelled = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const all = [...new Set(spelled)].sort((one, other) => other.length - one.length);
  return (text) => all.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
}
