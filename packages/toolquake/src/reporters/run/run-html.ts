/** A run as one page, in the frame of all pages: no script, no request. */
import type { ConsoleContext } from '../console.js';
import { escapeXml } from '../escape.js';
import { duration, grouped, percent } from '../figures.js';
import { factsMarkup, pageMarkup } from '../html/page.js';
import { eventsSection, findingsSection, lanesSection, overTimeSection, tableSection } from '../html/run-sections.js';
import { disagreementText } from './disagreements.js';
import { lastWords } from './fault-book.js';
import { nextSteps } from './next-steps.js';
import type { RunDigest } from './run-digest.js';
import {
  actionsTable,
  alertsTable,
  figuresTable,
  notesTable,
  preconditionsTable,
  seenTable,
  steadyTable,
  tripsTable,
  undoTable,
} from './run-rows.js';
import {
  endOf,
  headlineOf,
  isGood,
  isUndone,
  notInjected,
  paragraphOf,
  stageText,
  subjectText,
  timeText,
  undoText,
  whyOf,
} from './run-story.js';

/** The page. */
export function renderRunHtml(digest: RunDigest, { subject }: Pick<ConsoleContext, 'subject'>): string {
  const { about, entries } = digest;
  const name = about?.experiment ?? subject;
  const preconditions = tableSection(preconditionsTable(digest));
  // What kept the run from beginning comes first.
  const isUnmet = digest.preconditions.list.some(({ isMet }) => !isMet);
  return pageMarkup({
    title: `${headlineOf(endOf(digest))}: ${name}`,
    heading: name,
    subject: subjectLine(digest),
    lead: `${verdictMarkup(digest)}${warnings(digest)}${storyMarkup(digest)}${facts(digest)}`,
    sections: [
      ...(isUnmet ? [preconditions] : []),
      overTimeSection(digest),
      findingsSection(digest),
      tableSection(tripsTable(digest)),
      tableSection(undoTable(digest), { about: undoText(digest) }),
      tableSection(actionsTable(digest), { codes: [0, 1] }),
      tableSection(alertsTable(digest), { about: 'As they arrived at the receiver of the run.', codes: [3] }),
      lanesSection(digest),
      tableSection(seenTable(digest)),
      tableSection(steadyTable(digest), { about: 'Looked at again and again; the value is the last one of each phase.', codes: [1] }),
      tableSection(figuresTable(digest), { about: 'Counted anew from what was done and seen, beside what the verdict says.' }),
      ...(isUnmet ? [] : [preconditions]),
      eventsSection(digest),
      tableSection(notesTable(digest)),
    ],
    footer: `${grouped(entries)} entries over ${duration(digest.lastMs)}${about === undefined ? '' : `; plan ${about.planDigest}; fault ${about.faultDigest}; seed ${about.seed}`}.`,
  });
}

function subjectLine(digest: RunDigest): string {
  const { about, build } = digest;
  if (about === undefined) return subjectText(digest);
  return [
    `${stageText(digest)} on ${about.target} (${about.environment})`,
    `run ${about.run}`,
    about.startedAt,
    ...(build === undefined ? [] : [build]),
    ...(about.owner === undefined ? [] : [about.owner]),
    ...(about.isDryRun ? ['dry run'] : []),
  ].join(' · ');
}

function verdictMarkup(digest: RunDigest): string {
  const word = escapeXml(headlineOf(endOf(digest)));
  return `<div class="${isGood(digest) ? 'alert fine' : 'alert'}"><p><strong>${word}.</strong> ${escapeXml(whyOf(digest))}</p></div>`;
}

function warnings(digest: RunDigest): string {
  const missing = notInjected(digest).map(
    ({ id, action, why }) => `<code>${escapeXml(id)}</code> (${escapeXml(action)}): ${escapeXml(why)}`,
  );
  return [
    ...digest.disagreements.map((one) => warning('It does not follow from the journal:', escapeXml(disagreementText(one)))),
    ...(missing.length === 0 ? [] : [warning('Not injected:', `${missing.join('; ')}. What never happened was not tested.`)]),
    ...(isUndone(digest) ? [] : [warning('Not put back:', escapeXml(undoText(digest)))]),
  ].join('');
}

const warning = (title: string, markup: string): string => `<div class="alert"><p><strong>${title}</strong> ${markup}</p></div>`;

function storyMarkup(digest: RunDigest): string {
  const part = (title: string, lines: readonly string[]): string =>
    `<section><h2>${title}</h2>${lines.map((text) => `<p>${escapeXml(text)}</p>`).join('')}</section>`;
  const question = digest.about?.question ?? 'Unknown: the first entry of the journal is missing.';
  const what = digest.actions.map(({ about, action }) => (about === '' ? action : about));
  return `<div class="story">${part('The claim', [question, ...what])}${part('What was seen', [paragraphOf(digest)])}${part('What next', nextSteps(digest))}</div>`;
}

function facts(digest: RunDigest): string {
  const { figures, lanes, undos } = digest;
  const changes = lastWords(undos);
  const failed = (lane: 'control' | 'faulted'): string =>
    lanes[lane].calls === 0 ? 'none were seen' : `${percent(lanes[lane].failed / lanes[lane].calls)} failed`;
  return factsMarkup([
    { name: 'MTTD', value: timeText(figures.mttdMs), about: 'fault on to alert' },
    { name: 'MTTR', value: timeText(figures.mttrMs), about: 'fault on to steady by itself' },
    { name: 'recovery', value: timeText(figures.recoveryMs), about: 'fault off to steady again' },
    { name: 'faulted calls', value: grouped(figures.faultedCalls), about: failed('faulted') },
    { name: 'control calls', value: grouped(figures.controlCalls), about: failed('control') },
    {
      name: 'undone',
      value: `${changes.filter(({ state }) => state !== 'not-undone').length} of ${changes.length}`,
      about: !isUndone(digest) ? 'not proved' : undos.length === 0 ? 'there was nothing to undo' : 'each verified',
    },
  ]);
}
