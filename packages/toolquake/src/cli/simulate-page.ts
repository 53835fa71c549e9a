/** The page that `toolquake simulate --html FILE` writes beside its table. */
import type { JournalEntry } from '@toolquake/sdk/core';
import { openResult } from '../operations/result-file.js';
import { renderHtml } from '../reporters/html.js';
import { createDigest } from '../reporters/journal-digest.js';
import type { CommandIo } from './command.js';

/** A page in the making: it hears the entries of the run, and is written at its end. */
export type Page = { readonly add: (entry: JournalEntry) => void; write(subject: string): void };

/** Looks at the place for the page before the work starts; undefined when none is wanted. */
export function openPage(path: string | undefined, io: CommandIo): Page | undefined {
  if (path === undefined) return undefined;
  const file = openResult(path, io.stdout);
  const digest = createDigest();
  return { add: (entry) => void digest.add(entry), write: (subject) => file.write(renderHtml(digest.result(), { subject })) };
}
