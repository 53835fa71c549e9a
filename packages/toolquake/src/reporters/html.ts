/** A digest as one page. */
import { escapeXml } from './escape.js';
import { figure, grouped, many, percent, share } from './figures.js';
import { comparisonSection } from './html/comparison-section.js';
import type { Section } from './html/markup.js';
import { factsMarkup, pageMarkup, type Fact } from './html/page.js';
import { sweepSection } from './html/sweep-section.js';
import {
  callsSection,
  controlSection,
  dataChangesSection,
  happeningsSection,
  problemsSection,
  rulesSection,
  runsSection,
} from './html/table-sections.js';
import { taskSection } from './html/task-section.js';
import { timelineSection } from './html/timeline-section.js';
import { hasNeverFired } from './digest/rule-book.js';
import type { Digest } from './journal-digest.js';
import { expectationText } from './task-rows.js';
import { brokenExpectations, comparedCells, seedText, storyOf, type Story } from './story.js';

/** The page. `subject` names what was reported, for example the file. */
export function renderHtml(digest: Digest, { subject = 'journal' }: { readonly subject?: string } = {}): string {
  const story = storyOf(digest);
  const sections: readonly Section[] = [
    ...digest.comparisons.map(comparisonSection),
    sweepSection(digest.sweeps),
    timelineSection(digest),
    happeningsSection(digest),
    rulesSection(digest),
    controlSection(digest),
    taskSection(digest),
    callsSection(digest),
    dataChangesSection(digest),
    problemsSection(digest),
    runsSection(digest),
  ];
  return pageMarkup({
    title: `${subject}: toolquake report`,
    heading: 'Toolquake report',
    subject,
    lead: `${storyMarkup(story)}\n${alerts(digest, story)}\n${facts(digest)}`,
    sections,
    footer: `${grouped(digest.entries)} entries; ${seedText(digest.runs.seeds)}. The same seed makes the same decisions.`,
  });
}

function storyMarkup({ ran, broke, contained }: Story): string {
  const part = (title: string, lines: readonly string[]): string =>
    `<section><h2>${title}</h2>${lines.map((one) => `<p>${escapeXml(one)}</p>`).join('')}</section>`;
  return `<div class="story">${part('What was run', ran)}${part('What broke', broke)}${part('What contained it', contained)}</div>`;
}

function alerts(digest: Digest, { neverFired }: Story): string {
  const { runs } = digest;
  const names = neverFired.map(({ id, fault }) => `<code>${escapeXml(id)}</code> (${escapeXml(fault)})`).join(', ');
  return [
    ...(neverFired.length === 0
      ? []
      : [`<div class="alert"><p><strong>Never fired:</strong> ${names}. What never happened was not tested.</p></div>`]),
    ...brokenExpectations(digest).map(
      (one) => `<div class="alert"><p><strong>Broken expectation:</strong> ${escapeXml(expectationText(one))}.</p></div>`,
    ),
    ...runs.guarded.map((why) => `<div class="alert"><p><strong>Guarded:</strong> ${escapeXml(why)}. Nothing was injected.</p></div>`),
  ].join('');
}

function facts(digest: Digest): string {
  const { calls, rules } = digest;
  const compared = digest.comparisons.slice(0, 1).flatMap((comparison) =>
    comparedCells(comparison)
      .slice(0, 4)
      .map((cell): Fact => ({
        name: `blast radius, ${cell.variant}`,
        value: percent(cell.blastRadius.mean),
        about: `${figure(cell.callsPerOperation.mean, 2)} calls per operation`,
      })),
  );
  const tasks = digest.tasks?.count ?? calls.tasks ?? 0;
  const enabled = rules.filter(({ isEnabled }) => isEnabled);
  const live: readonly Fact[] =
    calls.calls === 0 || calls.told > calls.calls
      ? []
      : [
          {
            name: 'calls',
            value: grouped(calls.calls),
            about: tasks === 0 ? 'tasks not told apart' : many(tasks, 'task'),
          },
          { name: 'failed', value: percent(calls.failed / calls.calls), about: many(calls.failed, 'call') },
          { name: 'changed answers', value: grouped(calls.altered), about: percent(calls.altered / calls.calls) },
          { name: 'ETA', value: share(calls.measures.eta), about: 'effective tool availability' },
          { name: 'TCSR', value: share(calls.measures.tcsr), about: 'correct and in time' },
        ];
  const fired: readonly Fact[] =
    enabled.length === 0
      ? []
      : [
          {
            name: 'rules that fired',
            value: `${enabled.filter((rule) => !hasNeverFired(rule)).length} of ${enabled.length}`,
            about: `${grouped(rules.reduce((sum, rule) => sum + rule.fired, 0))} times in all`,
          },
        ];
  const all = [...compared, ...live, ...fired];
  return factsMarkup(all);
}
