/** Traffic that nobody would send on purpose, and scripts of it: what a fault must live through. */
import * as fc from 'fast-check';
import type { TrafficEvent } from '../core/event.js';
import { frameFromBytes, frameFromMessage, frameMessage, type Frame } from '../core/frame.js';
import type { Direction } from '../core/message.js';
import { startSession, type Exchange } from '../core/session.js';
import type { KnownTool } from '../core/tool-book.js';
import { arrived, cancelled, connected, exchangeFor } from './events.js';
import { exampleAnswer, exampleCall, exampleResult, exampleTools } from './example-messages.js';

/** How to make a frame, so that the same one can be made twice. */
export type FrameRecipe = { readonly text: string } | { readonly bytes: Uint8Array } | { readonly message: unknown };

const deep = (depth: number): string => '{"a":['.repeat(depth) + ']}'.repeat(depth);

/** Shapes that broke real peers, or could: one of each kind. */
const HOSTILE_TEXTS: readonly string[] = [
  '',
  'null',
  '[]',
  '"text"',
  '{"jsonrpc":"2.0"',
  '\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}',
  '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]',
  '{"jsonrpc":"2.0","id":1,"id":2,"result":{"content":[],"content":null}}',
  '{"jsonrpc":"2.0","id":null,"error":null}',
  '{"jsonrpc":"2.0","id":1.5,"result":[]}',
  '{"jsonrpc":"2.0","id":1,"result":{"tools":[null,1,{"name":1},{}]}}',
  '{"jsonrpc":"2.0","id":1,"result":{"content":[null,{"type":"text"},{"type":"text","text":"[1,"}],"structuredContent":[]}}',
  '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"__proto__":{"x":1},"constructor":[1,2],"toString":null}}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
  '{"jsonrpc":"2.0","method":"tools/call","params":{"name":{"a":1}}}',
  `{"jsonrpc":"2.0","id":1,"result":${deep(8000)}}`,
  `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":${deep(1000)}}}`,
  `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":${JSON.stringify(deep(1000))}}]}}`,
];

/** Schemas that refer to themselves, and schemas that are none; for the tools that scripts call. */
export const HOSTILE_TOOLS: readonly KnownTool[] = [
  {
    name: 'a',
    inputSchema: undefined,
    outputSchema: { anyOf: [{ $ref: '#' }, { $ref: '#/anyOf/0' }], properties: { a: { $ref: '#' }, '': false }, required: ['a', 1, null] },
  },
  {
    name: 'b',
    inputSchema: { properties: null },
    outputSchema: { type: ['object', 5], properties: { orders: { items: [], enum: 'x' }, total: { enum: [] } }, required: 'total' },
  },
];

const answerish = fc
  .record({ data: fc.jsonValue({ maxDepth: 4 }), text: fc.oneof(fc.string(), fc.json({ maxDepth: 4 })), isError: fc.option(fc.boolean()) })
  .map(({ data, text, isError }) =>
    exampleAnswer({ content: [{ type: 'text', text }], structuredContent: data, ...(isError === null ? {} : { isError }) }),
  );

const recipe: fc.Arbitrary<FrameRecipe> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS).map((text) => ({ text })),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ bytes })),
  fc.jsonValue({ maxDepth: 3 }).map((message) => ({ message })),
  answerish.map((message) => ({ message })),
  fc.constantFrom(exampleAnswer(exampleResult()), exampleAnswer(exampleTools()), exampleCall()).map((message) => ({ message })),
);

/** One step of a script; `exchange` and `session` are indexes, taken modulo what there is. */
export type Step =
  | { readonly kind: 'connect'; readonly session: number }
  | { readonly kind: 'request'; readonly session: number; readonly frame: FrameRecipe }
  | { readonly kind: 'answer' | 'cancel'; readonly exchange: number; readonly frame: FrameRecipe; readonly isOpaque: boolean };

const request = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ id: fc.constantFrom<string | number | null>(0, 1, 'x', null), tool: fc.constantFrom('a', 'b', '') })
      .map((made) => ({ message: exampleCall(made) })),
  },
  { weight: 1, arbitrary: recipe },
);

/** Scripts of up to a dozen events in three sessions. */
export const hostileScripts: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('connect' as const), session: fc.nat(2) }),
    fc.record({ kind: fc.constant('request' as const), session: fc.nat(2), frame: request }),
    fc.record({
      kind: fc.constantFrom('answer' as const, 'answer' as const, 'cancel' as const),
      exchange: fc.nat(9),
      frame: recipe,
      isOpaque: fc.nat(9).map((n) => n === 0),
    }),
  ),
  { minLength: 1, maxLength: 12 },
);

/** A frame of a recipe. What it parses to is frozen, so that editing it in place throws. */
function frameOfRecipe(from: FrameRecipe, direction: Direction, isOpaque = false): Frame {
  if ('message' in from) return frozen(frameFromMessage(direction, structuredClone(from.message)));
  const bytes = 'text' in from ? new TextEncoder().encode(from.text) : from.bytes.slice();
  return frozen(frameFromBytes(direction, bytes, isOpaque));
}

function frozen(frame: Frame): Frame {
  const queue: unknown[] = [frameMessage(frame)];
  while (queue.length > 0) {
    const value = queue.pop();
    if (typeof value !== 'object' || value === null) continue;
    Object.freeze(value);
    queue.push(...Object.values(value));
  }
  return frame;
}

/** The events of a script, made one after the other: each sees what the ones before it did to the exchanges. */
export function* eventsOf(script: readonly Step[]): Generator<TrafficEvent> {
  const sessions = [
    startSession({ label: 'one', era: 'legacy' }),
    startSession({ label: 'two', era: 'modern' }),
    startSession({ label: 'three' }),
  ];
  const exchanges: Exchange[] = [];
  for (const step of script) {
    if (step.kind === 'connect') yield connected(sessions[step.session]);
    else if (step.kind === 'request') {
      const exchange = exchangeFor(frameOfRecipe(step.frame, 'to-server'), sessions[step.session]);
      exchanges.push(exchange);
      yield arrived(exchange.request, exchange);
    } else {
      const exchange = exchanges[step.exchange % Math.max(1, exchanges.length)];
      if (exchange === undefined) continue;
      yield step.kind === 'cancel' ? cancelled(exchange) : arrived(frameOfRecipe(step.frame, 'to-client', step.isOpaque), exchange);
    }
  }
}
