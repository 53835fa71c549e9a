import { changeResult } from '../core/changed-answer.js';
import { defineFault } from '../core/fault.js';
import { isObject } from '../core/message.js';
import { flag, ratio } from '../core/params.js';
import { startOf } from '../core/text-start.js';

/** Cuts at the end of a word where there is one before the cut. */
function endingInAWord(start: string, whole: string): string {
  if (start.length === whole.length || /^\s/.test(whole.slice(start.length))) return start;
  let end = start.length;
  while (end > 0 && /\S/.test(start[end - 1]!)) end--;
  const words = start.slice(0, end).trimEnd();
  return words === '' ? start : words;
}

/** A limit on characters that nobody mentions. JSON text breaks off like any other, which no client may repair silently. */
export const truncateText = defineFault({
  type: 'truncate-text',
  summary: 'Breaks the text of a result off, in the middle of whatever it says.',
  carriers: ['mcp', 'command'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    keepRatio: ratio({ default: 0.5, about: 'Share of each text that stays, rounded down.' }),
    midWord: flag({
      default: true,
      about: 'Breaks off inside a word or number; otherwise at the end of one, so that the text looks whole.',
    }),
    keepsStructured: flag({ default: false, about: 'Leaves the structured content in, which then says more than the text.' }),
  },
  whyPointless: ({ keepRatio }) => (keepRatio === 1 ? 'its keepRatio is 1, which cuts nothing off' : undefined),
  decide: (event, { keepRatio, midWord, keepsStructured }, context) =>
    changeResult(event, context, (result) => {
      const blocks: unknown = result['content'];
      let isCut = false;
      const content = !Array.isArray(blocks)
        ? blocks
        : blocks.map((block: unknown) => {
            if (!isObject(block) || typeof block['text'] !== 'string') return block;
            const start = startOf(block['text'], keepRatio);
            const text = midWord ? start : endingInAWord(start, block['text']);
            isCut ||= text !== block['text'];
            return { ...block, text };
          });
      if (!isCut) return 'there is no text to break off';
      const { structuredContent, ...rest } = result;
      return { ...rest, content, ...(keepsStructured && structuredContent !== undefined ? { structuredContent } : {}) };
    }),
});
