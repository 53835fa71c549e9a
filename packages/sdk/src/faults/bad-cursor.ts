import { forward, type Effect } from '../core/effect.js';
import { defineFault, type FaultContext } from '../core/fault.js';
import { editFrame, frameObject, type Frame } from '../core/frame.js';
import { resultOf, rpcError, withResult, type JsonObject } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { cursorOf, editableTools, type ToolPage } from '../core/tool-list.js';
import { editableMessage } from '../core/tool-result.js';

/** The cursors that we hand out. They look like those of real servers: base64 of an offset. */
const CURSORS = { loop: 'eyJvZmZzZXQiOjB9', 'empty-string': '', invalid: 'eyJvZmZzZXQiOi0xfQ==' } as const;

/** The page as if there were no other: without its cursor, or cut short where it was the only one. */
function firstPageOnly(frame: Frame, { message, result, tools }: ToolPage, context: FaultContext): readonly Effect[] {
  const { nextCursor, ...rest } = result;
  if (nextCursor !== undefined) {
    context.changed('/nextCursor', nextCursor, undefined);
    return [forward(editFrame(frame, withResult(message, rest)))];
  }
  const kept = tools.slice(0, Math.ceil(tools.length / 2));
  if (kept.length === tools.length) return context.notDelivered('the list is too short for two pages');
  context.changed('/tools', tools, kept);
  return [forward(editFrame(frame, withResult(message, { ...rest, tools: kept })))];
}

/** A request for our own page, as a request for the first one: a server would not know our cursor. */
function askForFirst(frame: Frame): Frame | string {
  const message = editableMessage(frame);
  if (typeof message === 'string') return message;
  const { cursor: _, ...params } = message['params'] as JsonObject;
  return editFrame(frame, { ...message, params });
}

/**
 * Paging that goes wrong. Clients read a part for the whole, or ask for ever. The request for a page of ours has to meet the
 * rule again; where it does not (a rule that fires once), the server gets a cursor that it does not know.
 */
export const badCursor = defineFault({
  type: 'bad-cursor',
  summary: 'Breaks the paging of the list of tools: only the first page, pages without end, or a cursor that is refused.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list'],
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    mode: oneOf(['first-page-only', 'loop', 'empty-string', 'invalid'], {
      default: 'loop',
      about:
        'What the list says about the next page: there is none (a list of one page loses its second half), it is the first one again, its cursor is empty (and leads to the first one again), or a cursor that is refused.',
    }),
  },
  decide: (event, { mode }, context) => {
    if (event.kind !== 'frame') return [];
    const cursor = mode === 'first-page-only' ? undefined : CURSORS[mode];
    const isOurs = cursor !== undefined && cursorOf(event.exchange) === cursor;
    if (event.part === 'request') {
      if (!isOurs || mode === 'invalid') return [];
      const request = askForFirst(event.frame);
      if (typeof request === 'string') return context.notDelivered(request);
      context.changed('/nextCursor', undefined, cursor);
      return [forward(request)];
    }
    if (isOurs && mode === 'invalid') {
      // Servers that do not page ignore cursors; one that hands this out refuses it.
      const result = resultOf(frameObject(event.frame));
      if (result === undefined) return context.notDelivered('the server refused it itself');
      context.changed('', result, undefined);
      return [forward(editFrame(event.frame, rpcError(event.exchange.id ?? null, -32602, 'Invalid cursor')))];
    }
    const page = editableTools(event.frame);
    if (typeof page === 'string') return context.notDelivered(page);
    if (cursor === undefined) return firstPageOnly(event.frame, page, context);
    if (!isOurs && page.result['nextCursor'] === cursor) return context.notDelivered('the server said the same');
    // What a page of ours says was noted with its request.
    if (!isOurs) context.changed('/nextCursor', page.result['nextCursor'], cursor);
    return [forward(editFrame(event.frame, withResult(page.message, { ...page.result, nextCursor: cursor })))];
  },
});
