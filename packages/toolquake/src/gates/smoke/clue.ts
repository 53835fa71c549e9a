/** What mistake of a deployment do a server's own words give away? Guesses from words: they explain a failure, they never make one. Pure. */
import type { FailureReason } from '../../core/failure-reason.js';

type Clue = { readonly clue: string; readonly words: RegExp; readonly reasons?: readonly FailureReason[] };

/** Bounded patterns only: the words come from servers. */
const CLUES: readonly Clue[] = [
  {
    clue: 'port taken: another process holds the port of this server; find it (ss -ltnp) and stop it',
    words: /EADDRINUSE|address already in use|port \d{1,5} is (?:already )?(?:in use|taken|allocated)/i,
  },
  {
    clue: 'migration not run: the schema of the database is older than this build; run the migrations, then deploy again',
    words:
      /no such (?:table|column)|(?:relation|table|column) .{1,80} does(?: not|n't) exist|unknown column|undefined_(?:table|column)|pending migration|migrations? (?:(?:is|are|has|have) )?not (?:been )?(?:run|applied)/i,
  },
  {
    clue: 'missing variable: the environment of this deployment lacks a setting that the build needs',
    words:
      /\b(?:[Mm]issing|[Rr]equired|[Uu]ndefined|[Uu]nset) (?:required )?(?:environment |env )?(?:variables?|vars?)\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b.{0,40}\b(?:not set|not defined|missing|required|undefined|empty|unset)\b|\b(?:[Mm]issing|[Rr]equired?s?|[Ss]et|[Nn]eeds?|[Ww]ithout)\b.{0,20}\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/,
  },
  {
    clue: 'wrong binary: what runs here does not behave like an MCP server; check the image, the entry point and the path',
    words: /$^/,
    reasons: [
      'stdio_stdout_pollution',
      'stdio_no_response',
      'http_not_found',
      'http_method_not_allowed',
      'http_unexpected_content',
      'http_malformed',
      'jsonrpc_parse_error',
      'jsonrpc_invalid',
    ],
  },
  {
    clue: 'wrong binary: the command cannot be started here; check the image, the entry point and the path',
    words: /Cannot find module|command not found|exec format error/i,
    reasons: ['stdio_spawn_failed'],
  },
];

/** The first clue that fits; the words of a server say more than the name of the failure. */
export function clueIn(reason: FailureReason | null, detail: string): string | null {
  const byWords = CLUES.find(({ words }) => words.test(detail));
  const byReason = CLUES.find(({ reasons }) => reason !== null && reasons?.includes(reason) === true);
  return (byWords ?? byReason)?.clue ?? null;
}
