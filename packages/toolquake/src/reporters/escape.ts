/** Text from a journal in other languages: it stays text, whatever it says. */

/** Control characters (XML forbids most of them), halves of surrogate pairs, and marks that turn the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** Everything visible; the rest becomes one visible mark. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For HTML and XML, in text and in quoted attributes. */
export function escapeXml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** What makes a table, link, mention, formula, tag or emphasis; and what makes a link of a bare address. */
const MARKDOWN = /[\\`*_{}[\]<>#|~&@$]|:(?=\/)|(?<=www)\./gi;

/** For Markdown, in the middle of a line. */
export function escapeMarkdown(text: string): string {
  // A mention is found after entities are read, so a joiner stands in its way; it has no width.
  return printable(text).replace(MARKDOWN, (character) => `&#${character.charCodeAt(0)};${character === '@' ? '&#8288;' : ''}`);
}
