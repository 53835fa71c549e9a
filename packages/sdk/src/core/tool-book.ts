/**
 * What a server says about its tools. Faults that break what a tool promises read the promise here; it is learnt from
 * every `tools/list` answer of a session as the server sent it, whatever rules make of that answer for the client.
 */
import type { Frame } from './frame.js';
import { isObject, resultOf, type JsonObject } from './message.js';
import type { Session } from './session.js';
import { editableMessage } from './tool-result.js';

/** A tool as its server last listed it. Nobody has checked the schemas. */
export type KnownTool = {
  readonly name: string;
  readonly inputSchema: JsonObject | undefined;
  readonly outputSchema: JsonObject | undefined;
};

/** The tools of every session that listed some. */
export type ToolBooks = {
  /** Takes in a page of a list; anything else is left alone. */
  learn(session: Session, answer: Frame): void;
  find(session: Session, name: string): KnownTool | undefined;
};

/** Per session. What is beyond is forgotten, the tool that was listed longest ago first. */
const MAX_TOOLS = 1024;
const MAX_SCHEMA_CHARACTERS = 1_000_000;
/** One schema must not push all the others out. */
const MAX_CHARACTERS_PER_TOOL = 100_000;
const MAX_NAME_LENGTH = 256;

type Book = { readonly tools: Map<string, { readonly tool: KnownTool; readonly characters: number }>; characters: number };

/** Books live and end with their sessions. */
export function createToolBooks(): ToolBooks {
  const books = new WeakMap<Session, Book>();

  const forget = (book: Book, name: string): void => {
    book.characters -= book.tools.get(name)?.characters ?? 0;
    book.tools.delete(name);
  };

  const note = (book: Book, listed: JsonObject): void => {
    const { name, inputSchema, outputSchema } = listed;
    if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH) return;
    const tool = { name, inputSchema: objectOf(inputSchema), outputSchema: objectOf(outputSchema) };
    const characters = JSON.stringify(tool).length;
    forget(book, name);
    if (characters > MAX_CHARACTERS_PER_TOOL) return;
    book.tools.set(name, { tool, characters });
    book.characters += characters;
    for (const oldest of book.tools.keys()) {
      if (book.tools.size <= MAX_TOOLS && book.characters <= MAX_SCHEMA_CHARACTERS) break;
      forget(book, oldest);
    }
  };

  return {
    learn(session, answer) {
      const message = editableMessage(answer);
      const listed = typeof message === 'string' ? undefined : resultOf(message)?.['tools'];
      if (!Array.isArray(listed)) return;
      let book = books.get(session);
      if (book === undefined) books.set(session, (book = { tools: new Map(), characters: 0 }));
      for (const one of listed as unknown[]) if (isObject(one)) note(book, one);
    },
    find: (session, name) => books.get(session)?.tools.get(name)?.tool,
  };
}

const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);
