/**
 * The frame of every page: no script, no request, no font from elsewhere. Its policy forbids all of them, so that a journal
 * whose names are markup could not do anything even if one of them got through.
 */
import { escapeXml } from '../escape.js';
import { sectionMarkup, type Section } from './markup.js';
import { STYLE } from './style.js';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** What a page is made of. `lead` is markup; everything else is text. */
export type Page = {
  readonly title: string;
  readonly heading: string;
  readonly subject: string;
  readonly lead: string;
  readonly sections: readonly Section[];
  readonly footer: string;
};

/** The page. Sections without a body are left out. */
export function pageMarkup({ title, heading, subject, lead, sections: given, footer }: Page): string {
  const sections = given.filter(({ body }) => body !== '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeXml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
<header>
<h1>${escapeXml(heading)}<small>${escapeXml(subject)}</small></h1>
${themeSwitch()}
</header>
<main id="content">
${lead}
<nav aria-label="Sections"><ul>${sections.map(({ id, title: name }) => `<li><a href="#${id}">${escapeXml(name)}</a></li>`).join('')}</ul></nav>
${sections.map(sectionMarkup).join('\n')}
</main>
<footer>${escapeXml(footer)}</footer>
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

/** A figure that stands for itself. */
export type Fact = { readonly name: string; readonly value: string; readonly about: string };

/** Figures side by side. */
export function factsMarkup(facts: readonly Fact[]): string {
  if (facts.length === 0) return '';
  return `<dl class="facts">${facts.map(({ name, value, about }) => `<div><dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}<small>${escapeXml(about)}</small></dd></div>`).join('')}</dl>`;
}
