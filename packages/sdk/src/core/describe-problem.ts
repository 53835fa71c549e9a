/** Words for our own mistakes, fit for a journal. */
import { ToolquakeError } from './errors.js';

/** What went wrong, without what was said on the wire: a syntax error quotes the text that it failed on. */
export function describeProblem(error: unknown): string {
  if (error instanceof ToolquakeError) return error.message;
  if (!(error instanceof Error)) return 'something was thrown that is no error';
  return error instanceof SyntaxError ? error.name : `${error.name}: ${error.message.slice(0, 200)}`;
}
