import { callKey } from '../core/call-key.js';
import { changeResult } from '../core/changed-answer.js';
import { parsePath } from '../core/data-path.js';
import { defineFault } from '../core/fault.js';
import { frameMessage, type Frame } from '../core/frame.js';
import type { JsonObject } from '../core/message.js';
import { text } from '../core/params.js';
import { fnv1a64 } from '../core/random.js';
import { editableResult } from '../core/tool-result.js';
import { drawWrongValue, withWrongValue } from '../core/wrong-value.js';

/** More calls than this per tool: the oldest counts as never made. Of an answer, so much is kept to differ from. */
const MAX_CALLS = 64;
const MAX_ANSWER_LENGTH = 8192;

/** The first answer to each call. */
type FirstAnswers = Map<string, string>;

/** Arguments can be megabytes; what is remembered of them is not. */
function keyOf(request: Frame): string {
  const { high, low } = fnv1a64(callKey(request));
  return `${high}:${low}`;
}

function remember(answers: FirstAnswers, request: Frame, result: JsonObject): void {
  if (answers.size >= MAX_CALLS) answers.delete(answers.keys().next().value!);
  answers.set(keyOf(request), JSON.stringify(result).slice(0, MAX_ANSWER_LENGTH));
}

/** Two replicas, or a read that raced with a write: who asks twice gets two answers, and has to notice. */
export const contradiction = defineFault({
  type: 'contradiction',
  summary: 'Answers a call that was made before with a value that contradicts the first answer.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: { path: text({ default: '', about: 'Where the value stands, for example orders[*].total; by default one is drawn.' }) },
  whyPointless: ({ path }) => (parsePath(path) === undefined ? 'its path is not of the form orders[*].total' : undefined),
  learnsTools: true,
  memory: (): FirstAnswers => new Map(),
  observe: (event, _params, { memory }) => {
    if (event.kind !== 'frame' || memory.has(keyOf(event.exchange.request))) return;
    const clean = editableResult(event.frame);
    if (typeof clean !== 'string') remember(memory, event.exchange.request, clean.result);
  },
  decide: (event, { path }, context) =>
    changeResult(event, context, (result, { tool, request }) => {
      const first = context.memory.get(keyOf(request));
      if (first === undefined) {
        remember(context.memory, request, result);
        return 'the call was not made before';
      }
      const wrong = drawWrongValue(result, {
        op: 'auto',
        pattern: path === '' ? undefined : parsePath(path),
        schema: context.knownTool(tool)?.outputSchema,
        besides: [frameMessage(request), first],
        draw: () => context.draw(),
      });
      return (wrong === undefined ? undefined : withWrongValue(result, wrong)) ?? 'there is no value that could be wrong';
    }),
});
