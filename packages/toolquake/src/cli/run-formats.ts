/** A run in the format that somebody asked for. */
import type { RunEntry } from '../core/run-entry.js';
import { PLAIN, type Paint } from '../reporters/figures.js';
import { renderRunConsole } from '../reporters/run/run-console.js';
import { createRunDigest } from '../reporters/run/run-digest.js';
import { renderRunHtml } from '../reporters/run/run-html.js';
import { renderRunJson } from '../reporters/run/run-json.js';
import { renderRunJunit } from '../reporters/run/run-junit.js';
import { renderRunMarkdown } from '../reporters/run/run-markdown.js';

/** What there is. */
export const RUN_FORMATS = ['console', 'json', 'markdown', 'junit', 'html'] as const;

/** The text of a run. Everything in it is computed anew from its entries. */
export function runText(format: (typeof RUN_FORMATS)[number], entries: readonly RunEntry[], paint: Paint = PLAIN): string {
  const digester = createRunDigest();
  for (const entry of entries) digester.add(entry);
  const digest = digester.result();
  switch (format) {
    case 'json':
      return renderRunJson(digest);
    case 'junit':
      return renderRunJunit(digest);
    case 'markdown':
      return renderRunMarkdown(digest);
    case 'html':
      return renderRunHtml(digest, { subject: digest.about?.experiment ?? 'experiment' });
    case 'console':
      return renderRunConsole(digest, { paint });
  }
}
