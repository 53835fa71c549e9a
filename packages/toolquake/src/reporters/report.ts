/** Every way to render a digest, by name. */
import { assertNever } from '@toolquake/sdk/core';
import { renderConsole, type ConsoleContext } from './console.js';
import { renderHtml } from './html.js';
import type { Digest } from './journal-digest.js';
import { renderJson } from './json.js';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';

/** A way to render. */
export type ReportFormat = 'console' | 'json' | 'markdown' | 'junit' | 'html';

/** The report as text. */
export function renderReport(digest: Digest, format: ReportFormat, context: ConsoleContext): string {
  switch (format) {
    case 'console':
      return renderConsole(digest, context);
    case 'json':
      return renderJson(digest);
    case 'markdown':
      return renderMarkdown(digest, context);
    case 'junit':
      return renderJunit(digest, context);
    case 'html':
      return renderHtml(digest, context);
    default:
      return assertNever(format);
  }
}
