/**
 * A digest as one page: no script, no request, no font from elsewhere. Its policy forbids all of them, so that a journal
 * whose names are markup could not do anything even if one of them got through.
 */
import { escapeXml } from './escape.js';
import { figure, grouped, many, percent, share } from './figures.js';
import { comparisonSection } from './html/comparison-section.js';
import { sectionMarkup, type Section } from './html/markup.js';
import { STYLE } from './html/style.js';
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

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

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
  ].filter(({ body }) => body !== '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeXml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(subject)}: toolquake report</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
<header>
<h1>Toolquake report<small>${escapeXml(subject)}</small></h1>
${themeSwitch()}
</header>
<main id="content">
${storyMarkup(story)}
${alerts(digest, story)}
${facts(digest)}
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => `<li><a href="#${id}">${escapeXml(title)}</a></li>`).join('')}</ul></nav>
${sections.map(sectionMarkup).join('\n')}
</main>
<footer>${escapeXml(`${grouped(digest.entries)} entries; ${seedText(digest.runs.seeds)}. The same seed makes the same decisions.`)}</footer>
</body>
</html>
`;
}

/** Three radio buttons and a style sheet: no script is needed to choose. */
function themeSwitch(): string {
  const choice = (id: string, text: string, isChosen: boolean): string =>
    `<label><input type="radio" name="theme" id="theme-${id}"${isChosen ? ' checked' : ''}>${text}</label>`;
  return `<fieldset class="theme"><legend>Colours</legend>${choice('auto', 'Auto', true)}${choice('light', 'Light', false)}${choice('dark', 'Dark', false)}</fieldset>`;
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

type Fact = { readonly name: string; readonly value: string; readonly about: string };

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
  if (all.length === 0) return '';
  return `<dl class="facts">${all.map(({ name, value, about }) => `<div><dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}<small>${escapeXml(about)}</small></dd></div>`).join('')}</dl>`;
}
