/** A run as a post-mortem to paste: evidence first, one paragraph, then tables. */
import { escapeMarkdown as text } from '../escape.js';
import { code, table } from '../markdown.js';
import { duration } from '../figures.js';
import { disagreementText } from './disagreements.js';
import { nextSteps } from './next-steps.js';
import type { RunDigest } from './run-digest.js';
import {
  actionsTable,
  alertsTable,
  figuresTable,
  findingsTable,
  lanesTable,
  notesTable,
  preconditionsTable,
  seenTable,
  steadyTable,
  tripsTable,
  undoTable,
  type RunTable,
} from './run-rows.js';
import { endOf, headlineOf, isGood, notInjected, paragraphOf, stageText, undoText, whyOf } from './run-story.js';

/** Over this many rows a table is folded away. */
const MAX_OPEN_ROWS = 12;

/** The report as Markdown. */
export function renderRunMarkdown(digest: RunDigest): string {
  const { about, build, disagreements } = digest;
  const end = endOf(digest);
  const missing = notInjected(digest);
  return [
    `## ${isGood(digest) ? '✅' : '❌'} ${headlineOf(end)}: ${text(about?.experiment ?? 'a run without its first entry')}\n\n`,
    about === undefined ? '' : `> ${text(about.question)}\n\n`,
    `${text(paragraphOf(digest))} ${text(undoText(digest))}\n\n`,
    `**${headlineOf(end)}.** ${text(whyOf(digest))}\n`,
    ...disagreements.map((one) => `\n> **It does not follow from the journal:** ${text(disagreementText(one))}\n`),
    about === undefined
      ? ''
      : `\nRun ${code(about.run)}, ${stageText(digest)}, target ${code(about.target)} (${text(about.environment)})${build === undefined ? '' : `, build ${code(build)}`}${about.owner === undefined ? '' : `, owner ${text(about.owner)}`}, started ${text(about.startedAt)}, ${duration(digest.lastMs)} long, seed ${about.seed}${about.isDryRun ? ', a dry run' : ''}.\n`,
    section(figuresTable(digest)),
    section(findingsTable(digest), 0),
    section(actionsTable(digest), 0),
    missing.length === 0
      ? ''
      : `\n**Not injected:** ${missing.map(({ id, why }) => `${code(id)}: ${text(why)}`).join('; ')}. What never happened was not tested.\n`,
    section(undoTable(digest)),
    section(lanesTable(digest)),
    section(alertsTable(digest)),
    section(tripsTable(digest)),
    section(seenTable(digest)),
    section(steadyTable(digest)),
    section(preconditionsTable(digest)),
    section(notesTable(digest)),
    `\n### Next\n\n${nextSteps(digest)
      .map((step) => `- ${text(step)}\n`)
      .join('')}`,
  ].join('');
}

/** The table under its heading; the first column is a word of ours or a name, as `codeColumn` says. */
function section({ title, head, rows, words, more = 0, isBad }: RunTable, codeColumn?: number): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row, index) =>
    row.map((cell, column) => {
      const shown = column === codeColumn ? code(cell) : text(cell);
      return column === 0 && isBad?.(index) === true ? `**${shown}**` : shown;
    }),
  );
  const body = `${table(head, cells, words)}${more > 0 ? `\nAnd ${more} more.\n` : ''}`;
  return rows.length > MAX_OPEN_ROWS ? `\n<details><summary>${title}</summary>\n\n${body}\n</details>\n` : `\n### ${title}\n\n${body}`;
}
