/** Every way to render the journal of an experiment, by name. */
import { assertNever } from '@toolquake/sdk/core';
import type { ConsoleContext } from './console.js';
import type { ReportFormat } from './report.js';
import { renderRunConsole } from './run/run-console.js';
import type { RunDigest } from './run/run-digest.js';
import { renderRunHtml } from './run/run-html.js';
import { renderRunJson } from './run/run-json.js';
import { renderRunJunit } from './run/run-junit.js';
import { renderRunMarkdown } from './run/run-markdown.js';

/** The report as text. */
export function renderRun(digest: RunDigest, format: ReportFormat, context: ConsoleContext): string {
  switch (format) {
    case 'console':
      return renderRunConsole(digest, context);
    case 'json':
      return renderRunJson(digest);
    case 'markdown':
      return renderRunMarkdown(digest);
    case 'junit':
      return renderRunJunit(digest);
    case 'html':
      return renderRunHtml(digest, context);
    default:
      return assertNever(format);
  }
}
