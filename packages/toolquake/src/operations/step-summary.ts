/** The page that a GitHub workflow shows for a job. */
import { appendFileSync } from 'node:fs';
import { ToolquakeError } from '@toolquake/sdk/core';

/** Appends Markdown to it; nothing where there is no such page. */
export function appendStepSummary(env: Readonly<Record<string, string | undefined>>, markdown: string): void {
  const path = env['GITHUB_STEP_SUMMARY'];
  if (path === undefined || path === '') return;
  try {
    appendFileSync(path, `${markdown}\n`);
  } catch (cause) {
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `The summary cannot be written to ${path}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: 'GITHUB_STEP_SUMMARY is set by the runner; unset it elsewhere.',
      cause,
    });
  }
}
