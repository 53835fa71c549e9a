import { changeResult } from '../core/changed-answer.js';
import { changeAt, pick, placesIn } from '../core/data-path.js';
import { defineFault } from '../core/fault.js';
import { isObject, type JsonObject } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { between, type Draw } from '../core/value-form.js';
import { changeProse, proseOf } from '../core/prose.js';
import { changeData, dataOf } from '../core/tool-result.js';

const KINDS = ['base64', 'mime', 'unknown-type', 'dead-link', 'zero-width', 'ansi'] as const;
type Kind = (typeof KINDS)[number];

/** One transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const ZERO_WIDTH = ['\u200B', '\u200C', '\u200D', '\u2060', '\uFEFF'];

const isImage = (block: unknown): block is JsonObject =>
  isObject(block) && (block['type'] === 'image' || block['type'] === 'audio') && typeof block['data'] === 'string';

/** A broken image or link: the one that is there gets broken, else one comes along. */
function withBadBlock(result: JsonObject, kind: Kind, draw: Draw): JsonObject {
  const blocks: readonly unknown[] = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const there = blocks.find(isImage);
  const image = there ?? { type: 'image', data: PIXEL, mimeType: 'image/png' };
  const code = between(100_000, 999_999, draw);
  const bad = ((): JsonObject => {
    switch (kind) {
      case 'base64':
        // Cut inside a group and with a character of no alphabet, as a log line in the middle of the data leaves it.
        return { ...image, data: `${String(image['data']).slice(0, 41)}*` };
      case 'mime':
        return { ...image, mimeType: image['mimeType'] === 'application/pdf' ? 'image/png' : 'application/pdf' };
      case 'unknown-type':
        return { type: 'table', columns: ['id', 'value'], rows: [[code, null]] };
      default:
        return { type: 'resource_link', uri: `file:///var/tmp/export-${code}.csv`, name: `export-${code}.csv`, mimeType: 'text/csv' };
    }
  })();
  const breaksImage = kind === 'base64' || kind === 'mime';
  const content = breaksImage && there !== undefined ? blocks.map((block) => (block === there ? bad : block)) : [...blocks, bad];
  return { ...result, content };
}

/** Characters that a person does not see, and a comparison does. */
function dirtied(text: string, kind: Kind, draw: Draw): string {
  const letters = Array.from(text);
  const at = letters.length < 2 ? letters.length : between(1, letters.length - 1, draw);
  const [before, after] = [letters.slice(0, at).join(''), letters.slice(at).join('')];
  if (kind === 'zero-width') return before + (pick(ZERO_WIDTH, draw()) ?? '') + after;
  return `\u001B[${between(31, 36, draw)}m${before}\u001B[0m${after}`;
}

/** In a text of the data in both places alike, else in the words of the result. */
function withBadText(result: JsonObject, kind: Kind, draw: Draw): JsonObject | string {
  const chosen = pick(
    placesIn(dataOf(result)[0]).filter(({ value }) => typeof value === 'string' && value !== ''),
    draw(),
  );
  if (chosen !== undefined) {
    const dirty = dirtied(String(chosen.value), kind, draw);
    const changed = changeData(result, (data) => changeAt(data, chosen.path, (value) => (value === chosen.value ? dirty : value)));
    return changed ?? 'there is no text';
  }
  const words = proseOf(result).filter(({ text }) => text !== '');
  const block = pick(words, draw());
  if (block === undefined) return 'there is no text';
  const dirty = dirtied(block.text, kind, draw);
  return changeProse(result, (one) => (one === block ? dirty : one.text));
}

/** Content that a client shows, decodes or fetches without looking, and must not fall over. */
export const badBlock = defineFault({
  type: 'bad-block',
  summary: 'Puts a content block into a result that cannot be decoded, shown or followed.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    what: oneOf(['auto', ...KINDS], {
      default: 'auto',
      about:
        'What is bad: image data, the MIME type, the type of the block, a link to nothing, invisible characters or terminal codes in a text.',
    }),
  },
  decide: (event, { what }, context) =>
    changeResult(event, context, (result) => {
      const draw = (): number => context.draw();
      const kind = what === 'auto' ? pick(KINDS, draw())! : what;
      return kind === 'zero-width' || kind === 'ansi' ? withBadText(result, kind, draw) : withBadBlock(result, kind, draw);
    }),
});
