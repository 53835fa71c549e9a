/** Pieces that the page is built of. Everything from a journal goes through `escapeXml`. */
import { escapeXml } from '../escape.js';
import type { Drawing } from '../plots/curve-plot.js';
import { element } from '../plots/svg.js';

/** A cell: text, or a figure (to the right), or text in a class. */
export type TableCell = string | { readonly text: string; readonly class?: string; readonly isCode?: boolean };

/** A table. Columns in `text` are words, all others figures. The first column names the row. */
export type TableData = {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  readonly text?: readonly number[];
};

/** A table that scrolls by itself where the page is narrow, for mice and keys alike. */
function tableMarkup({ caption, head, rows, text = [] }: TableData): string {
  const isText = (column: number): boolean => column === 0 || text.includes(column);
  const cells = (row: readonly TableCell[]): string =>
    row
      .map((cell, column) => {
        const given = typeof cell === 'string' ? { text: cell } : cell;
        const names = [isText(column) ? 'text' : '', given.class ?? ''].filter((name) => name !== '').join(' ');
        const inner = given.isCode === true ? `<code>${escapeXml(given.text)}</code>` : escapeXml(given.text);
        const name = names === '' ? '' : ` class="${names}"`;
        // A row that goes on from the one above has no name: an empty heading is read out as one.
        return column === 0 && given.text !== '' ? `<th scope="row"${name}>${inner}</th>` : `<td${name}>${inner}</td>`;
      })
      .join('');
  const heads = head.map((title, column) => {
    const name = isText(column) ? ' class="text"' : '';
    return title === '' ? `<td${name}></td>` : `<th scope="col"${name}>${escapeXml(title)}</th>`;
  });
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeXml(caption)}"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table></div>`;
}

/** A plot with its words and its data. */
export type PlotFigure = {
  readonly id: string;
  readonly title: string;
  /** What can be seen, for those who cannot see it. */
  readonly description: string;
  readonly caption?: string;
  readonly draw: (width: number) => Drawing;
  readonly table: TableData;
  /** Takes the whole width. */
  readonly isFull?: boolean;
};

/** A picture per width of the page, so that letters keep their size; the style sheet shows one of them. */
const WIDTHS = { wide: 1000, small: 440, phone: 320 } as const;

/** The figure: a picture, its caption, and the numbers behind it. */
export function figureMarkup(figure: PlotFigure): string {
  const { id, title, caption, draw, table, isFull } = figure;
  const names = (['wide', 'small', 'phone'] as const).filter((name) => isFull === true || name !== 'wide');
  const pictures = names.map((name) => svgMarkup({ ...figure, id: `${id}-${name}` }, draw(WIDTHS[name]), WIDTHS[name], name));
  const note = caption === undefined ? '' : `<p class="note">${escapeXml(caption)}</p>`;
  const words = `<figcaption><h3>${escapeXml(title)}</h3>${note}</figcaption>`;
  const numbers = `<details><summary>Numbers of this plot</summary>${tableMarkup(table)}</details>`;
  return `<figure${isFull === true ? ' class="full"' : ''}>${words}${pictures.join('')}${numbers}</figure>`;
}

function svgMarkup({ id, title, description }: PlotFigure, { markup, height }: Drawing, width: number, name: string): string {
  return element(
    'svg',
    { viewBox: `0 0 ${width} ${Math.ceil(height)}`, class: name, role: 'img', 'aria-labelledby': `${id}-title ${id}-desc` },
    element('title', { id: `${id}-title` }, escapeXml(title)),
    element('desc', { id: `${id}-desc` }, escapeXml(description)),
    markup,
  );
}

/** A part of the page. */
export type Section = { readonly id: string; readonly title: string; readonly body: string };

/** The part, with its heading; nothing when it is empty. */
export function sectionMarkup({ id, title, body }: Section): string {
  return body === '' ? '' : `<section aria-labelledby="${id}"><h2 id="${id}">${escapeXml(title)}</h2>${body}</section>`;
}

/** A table on a sheet of its own. */
export const sheet = (table: TableData): string => (table.rows.length === 0 ? '' : `<div class="sheet">${tableMarkup(table)}</div>`);

/** A sentence under a heading. */
export const lead = (text: string): string => `<p class="lead">${escapeXml(text)}</p>`;
