/** Reads YAML (and with it JSON) into plain data that remembers where everything stood. */
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser, type CST, type Document, type Node } from 'yaml';
import type { ErrorCode, PlanPath } from '@toolquake/sdk/core';

/** A place in a text, both from 1. */
export type Position = { readonly line: number; readonly column: number };

/** Something that is wrong with the text itself. */
export type TextProblem = Position & { readonly code: ErrorCode; readonly message: string; readonly advice?: string };

/** Parsed text. `value` is meaningless when there are problems. */
export type ParsedText = {
  readonly value: unknown;
  readonly problems: readonly TextProblem[];
  /** Where a value stands; of `key`, where its key stands. The nearest parent for paths that lead nowhere. */
  locate(path: PlanPath, part: 'key' | 'value'): Position;
};

/** Deeper than any plan; the parser recurses, and far deeper input would take the whole process down. */
const MAX_DEPTH = 100;
/** Aliases multiply: ten lines of them can ask for more memory than there is. */
const MAX_ALIASES = 100;

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['TAB_AS_INDENT', 'Indent with spaces.'],
  ['DUPLICATE_KEY', 'Remove or rename one of the two.'],
  ['BLOCK_AS_IMPLICIT_KEY', 'Is the indentation right, and is text with ": " in quotes?'],
]);

/** Parses a text; never throws for what stands in it. */
export function parseText(source: string): ParsedText {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const refused = (offset: number, code: ErrorCode, message: string, advice?: string): ParsedText => ({
    value: undefined,
    problems: [{ ...at(offset), code, message, ...(advice === undefined ? {} : { advice }) }],
    locate: () => at(0),
  });

  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(source)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH)
      return refused(parser.offset, 'TOO_LARGE', `The text is nested more than ${MAX_DEPTH} levels deep.`);
  }
  tokens.push(...parser.end());

  const [document, second] = [
    ...new Composer({ prettyErrors: false, uniqueKeys: true }).compose(tokens, false, source.length),
  ] as Document.Parsed[];
  const found = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  const problems = found.map((problem): TextProblem => {
    const advice = ADVICE.get(problem.code);
    return { ...at(problem.pos[0]), code: 'BAD_SYNTAX', message: `${problem.message}.`, ...(advice === undefined ? {} : { advice }) };
  });
  if (problems.length > 0) return { value: undefined, problems, locate: () => at(0) };
  if (document === undefined || document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    return refused(0, 'EMPTY_INPUT', 'There is nothing in it.', 'The smallest plan is "rules: []".');
  }
  if (second !== undefined)
    return refused(second.range[0], 'BAD_SYNTAX', 'A plan is one YAML document, and here begins a second one.', 'Remove the "---".');
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (holdsItself(value)) return refused(0, 'TOO_LARGE', 'An alias stands inside of what it means: that has no end.', 'Write it out.');
    return { value, problems: [], locate: (path, part) => at(offsetOf(document, path, part)) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    if (error.message.startsWith('Excessive alias count')) {
      return refused(0, 'TOO_LARGE', `Its aliases multiply to more than ${MAX_ALIASES} copies.`, 'Write the repeated parts out.');
    }
    return refused(0, 'BAD_SYNTAX', `${error.message}.`);
  }
}

/** No data of ours is round: whoever writes it down would never come to an end. Looks at every part once, however often it is named. */
function holdsItself(value: unknown, around = new Set<unknown>(), fine = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || fine.has(value)) return false;
  if (around.has(value)) return true;
  around.add(value);
  const isRound = Object.values(value).some((item) => holdsItself(item, around, fine));
  around.delete(value);
  fine.add(value);
  return isRound;
}

function offsetOf(document: Document.Parsed, path: PlanPath, part: 'key' | 'value'): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      if (pair === undefined) return offset;
      const key = pair.key as Node | null;
      const value = pair.value as Node | null;
      const isKeyWanted = part === 'key' && index === path.length - 1;
      offset = (isKeyWanted ? key?.range?.[0] : (value?.range?.[0] ?? key?.range?.[0])) ?? offset;
      node = value;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step] as Node | null | undefined;
      offset = node?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}
