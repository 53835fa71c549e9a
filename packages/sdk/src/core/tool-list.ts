/** What faults on the registry need of an answer to `tools/list`: the tools in it, and others in their place. Pure. */
import { editFrame, frameObject, type Frame } from './frame.js';
import { isObject, paramsOf, withResult, type JsonObject } from './message.js';
import type { Exchange } from './session.js';
import { editableResult } from './tool-result.js';

/** A page of tools that may be edited. Nobody has checked the tools. */
export type ToolPage = { readonly message: JsonObject; readonly result: JsonObject; readonly tools: readonly unknown[] };

/** The page in an answer to `tools/list`, or why there is none. */
export function editableTools(frame: Frame): ToolPage | string {
  const list = editableResult(frame);
  if (typeof list === 'string') return list;
  const tools = list.result['tools'];
  return Array.isArray(tools) ? { ...list, tools: tools as unknown[] } : 'the result lists no tools';
}

/** The same answer with other tools; everything else in it stays. */
export function withTools(frame: Frame, { message, result }: ToolPage, tools: readonly unknown[]): Frame {
  return editFrame(frame, withResult(message, { ...result, tools }));
}

/** The name of an entry of a list; undefined when it has none. */
export function nameOfTool(tool: unknown): string | undefined {
  return isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : undefined;
}

/** Where the first tool stands that `selects` wants; -1 when none does. */
export function findTool(tools: readonly unknown[], selects: (name: string) => boolean): number {
  return tools.findIndex((tool) => {
    const name = nameOfTool(tool);
    return name !== undefined && selects(name);
  });
}

/**
 * Changes every tool that `selects` wants. `change` returns its argument when it has nothing to do; the answer is the
 * edited frame, or why there is none.
 */
export function changeTools(
  frame: Frame,
  selects: (name: string) => boolean,
  change: (tool: JsonObject, index: number) => JsonObject,
): Frame | string {
  const page = editableTools(frame);
  if (typeof page === 'string') return page;
  const tools = page.tools.map((tool, index) => {
    const name = nameOfTool(tool);
    return name !== undefined && selects(name) ? change(tool as JsonObject, index) : tool;
  });
  return tools.some((tool, index) => tool !== page.tools[index]) ? withTools(frame, page, tools) : 'none of the tools could be changed';
}

/** The cursor that a list was asked for with; undefined for the first page. */
export function cursorOf({ request }: Exchange): unknown {
  return paramsOf(frameObject(request))['cursor'];
}

/** Is this the first page of a list? A refusal shows the client no tools, and so is none. */
export function isFirstPage(exchange: Exchange, answer: Frame): boolean {
  return cursorOf(exchange) === undefined && typeof editableTools(answer) !== 'string';
}

/** A longer name is nobody's spelling, and one of separators alone would be searched for ever. */
const MAX_SPELLED_LENGTH = 256;

/** Another name that looks like this one: the other common spelling where it has one, else a second version. */
export function lookAlike(name: string, isTaken: (name: string) => boolean): string {
  let other = name.length > MAX_SPELLED_LENGTH ? `${name}_v2` : otherSpelling(name);
  while (isTaken(other)) other += '_v2';
  return other;
}

function otherSpelling(name: string): string {
  const camel = name.replace(/[_-]+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return camel !== name ? camel : snake !== name ? snake : `${name}_v2`;
}
