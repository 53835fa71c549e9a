import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PASS } from './decide.js';
import { forward } from './effect.js';
import { defineFault } from './fault.js';
import { callFrame, decider, rule } from './fixtures/rules.js';
import { frameFromBytes, frameFromMessage, type Frame } from './frame.js';
import { startSession } from './session.js';
import { createToolBooks, type KnownTool } from './tool-book.js';

const listed = (tools: unknown): Frame => frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result: { tools } });
const ask = (): Frame => frameFromMessage('to-server', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
const outputSchema = { type: 'object', properties: { total: { type: 'number' } } };

describe('a book of tools', () => {
  test('keeps what was listed, page by page, and what was said last', () => {
    const books = createToolBooks();
    const session = startSession();
    books.learn(session, listed([{ name: 'a', inputSchema: { type: 'object' } }]));
    books.learn(session, listed([{ name: 'b', outputSchema }]));
    books.learn(session, listed([{ name: 'a', outputSchema }]));
    expect(books.find(session, 'a')).toEqual({ name: 'a', inputSchema: undefined, outputSchema });
    expect(books.find(session, 'b')?.outputSchema).toEqual(outputSchema);
    expect(books.find(startSession(), 'a')).toBeUndefined();
  });

  test('forgets the oldest when there are too many, and a schema that is too large at once', () => {
    const books = createToolBooks();
    const session = startSession();
    const names = Array.from({ length: 1500 }, (_, index) => `tool_${index}`);
    books.learn(
      session,
      listed([{ name: 'huge', outputSchema: { description: 'x'.repeat(200_000) } }, ...names.map((name) => ({ name }))]),
    );
    expect([books.find(session, 'huge'), books.find(session, 'tool_475'), books.find(session, 'tool_476')?.name]).toEqual([
      undefined,
      undefined,
      'tool_476',
    ]);
    const wide = names.slice(0, 30).map((name) => ({ name, outputSchema: { description: 'x'.repeat(90_000) } }));
    books.learn(session, listed(wide));
    expect(names.slice(0, 30).filter((name) => books.find(session, name) !== undefined).length).toBeLessThanOrEqual(11);
    expect(books.find(session, 'tool_29')).toBeDefined();
  });

  test('lives through any list, and any name', () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","outputSchema":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}]}}`;
    const books = createToolBooks();
    const session = startSession();
    for (const text of ['', 'null', '[]', deep]) books.learn(session, frameFromBytes('to-client', new TextEncoder().encode(text)));
    books.learn(session, frameFromBytes('to-client', new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result"'), true));
    books.learn(session, listed([{ name: '__proto__', outputSchema: [] }, { name: 'x'.repeat(300) }, { name: 1 }, null, 5, []]));
    expect(books.find(session, '__proto__')).toEqual({ name: '__proto__', inputSchema: undefined, outputSchema: undefined });
    expect(books.find(session, 'a')).toBeUndefined();
    fc.assert(fc.property(fc.jsonValue(), (tools) => books.learn(session, listed(tools))));
  });
});

describe('the decider', () => {
  const asked: (KnownTool | undefined)[] = [];
  const curious = (learnsTools: boolean) =>
    rule('curious', {
      fault: defineFault({
        type: 'curious',
        summary: 'Asks for the tool.',
        carriers: ['mcp'],
        role: 'data',
        learnsTools,
        params: {},
        decide(event, _params, context) {
          if (event.kind !== 'frame') return [];
          asked.push(context.knownTool(event.exchange.tool));
          return [forward(event.frame)];
        },
      }),
    });

  test('shows a fault that learns tools what the server listed, and not what another rule made of it', () => {
    const session = startSession();
    const deciding = decider([curious(true)]);
    const { exchange } = deciding.request(session, ask(), 0);
    expect(deciding.answer(exchange!, listed([{ name: 'a', outputSchema }]), 1)).toBe(PASS);
    deciding.request(session, callFrame('a'), 2);
    deciding.request(session, callFrame('b'), 3);
    deciding.request(startSession(), callFrame('a'), 4);
    expect(asked.splice(0)).toEqual([{ name: 'a', inputSchema: undefined, outputSchema }, undefined, undefined]);
  });

  test('opens no exchange for a list that nobody learns from, nor for the list of a client', () => {
    expect(decider([curious(false)]).request(startSession(), ask(), 0)).toBe(PASS);
    expect(decider([]).request(startSession(), ask(), 0)).toBe(PASS);
    const fromServer = frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(decider([curious(true)]).request(startSession(), fromServer, 0)).toBe(PASS);
  });
});
