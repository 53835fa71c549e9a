/** SVG as text. Attributes and words are escaped here, and only here. */
import { escapeXml } from '../escape.js';

/** Attributes of an element; undefined ones are left out. Numbers are rounded: a tenth of a pixel is enough. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

const attributeText = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(value * 10) / 10) : escapeXml(value);

/** An element; children are markup already. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const given = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${attributeText(value)}"`]));
  return children.length === 0 ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${children.join('')}</${name}>`;
}

/** Text at a place. */
export const words = (x: number, y: number, text: string, attributes: Attributes = {}): string =>
  element('text', { x, y, ...attributes }, escapeXml(text));

/** A straight line. */
export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): string =>
  element('line', { x1, y1, x2, y2, ...attributes });

/** A line through points; gaps are where there is no number. */
export function path(points: readonly (readonly [x: number, y: number] | undefined)[], attributes: Attributes): string {
  let isDown = false;
  const steps = points.map((point) => {
    if (point === undefined) {
      isDown = false;
      return '';
    }
    const step = `${isDown ? 'L' : 'M'}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
    isDown = true;
    return step;
  });
  return element('path', { d: steps.join(''), ...attributes });
}

/** What a mouse is shown over a mark; everybody else has the table. */
export const tip = (text: string): string => element('title', {}, escapeXml(text));

/** About how wide text is, in pixels: there is nobody to ask. */
export const widthOf = (text: string, size = 12): number => text.length * size * 0.56;

/** Text that fits into so many pixels. */
export function fitted(text: string, pixels: number, size = 12): string {
  const room = Math.max(2, Math.floor(pixels / (size * 0.56)));
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

/** Text in at most `most` lines of so many pixels, broken at spaces. */
export function brokenText(text: string, pixels: number, most = 3, size = 12): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`, size) <= pixels) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  const kept = lines.slice(0, most);
  if (lines.length > most) kept[most - 1] = `${kept[most - 1]} …`;
  return kept.map((one) => fitted(one, pixels, size));
}

/** The shapes of marks, so that series differ without colour. Centred at a place, by number of the series. */
export function mark(series: number, x: number, y: number, attributes: Attributes, ...children: readonly string[]): string {
  const r = 4;
  switch (series % 4) {
    case 0:
      return element('circle', { cx: x, cy: y, r, ...attributes }, ...children);
    case 1:
      return element('rect', { x: x - r + 0.4, y: y - r + 0.4, width: 2 * r - 0.8, height: 2 * r - 0.8, ...attributes }, ...children);
    case 2:
      return element('path', { d: `M${x.toFixed(1)} ${(y - r - 0.8).toFixed(1)}l4.8 8.2h-9.6z`, ...attributes }, ...children);
    default:
      return element('path', { d: `M${x.toFixed(1)} ${(y - r - 1.4).toFixed(1)}l5.4 5.4l-5.4 5.4l-5.4 -5.4z`, ...attributes }, ...children);
  }
}
