/** Faults of the registry: what `tools/list` says, and what comes of believing it. */
import type { JsonObject } from '@toolquake/sdk/core';
import { expect } from 'vitest';
import { answered, callTool, dataOf, errorOf, fired, resultOf, toolsListed, type Scenario } from './scenario.js';
import { executions, firings, toolCall, type Stage } from './stage.js';

/** Lists the tools and waits for the answer. */
async function list(stage: Stage, id: number, params?: JsonObject): Promise<void> {
  stage.send({ jsonrpc: '2.0', id, method: 'tools/list', ...(params === undefined ? {} : { params }) });
  await answered(stage, id);
}

/** One tool of a list that the client saw. */
const toolListed = (stage: Stage, id: number, name: string): JsonObject =>
  (resultOf(stage, id)['tools'] as JsonObject[]).find((tool) => tool['name'] === name)!;

const noticesSeen = (stage: Stage): number =>
  stage.seen.filter((one) => one.what === 'message' && one.message['method'] === 'notifications/tools/list_changed').length;

/** The cursors that reached the server. */
const cursorsServed = (stage: Stage): readonly unknown[] =>
  stage.served.flatMap(({ method, params }) => (method === 'tools/list' ? [(params as JsonObject | undefined)?.['cursor']] : []));

/** What the journal says was changed, by path. */
const pathsChanged = (stage: Stage): readonly string[] => firings(stage).flatMap(({ changes }) => changes?.map(({ path }) => path) ?? []);

const MODERN_NOTICES = 'Modern servers may announce changes on a subscription only.';

/** A script for a way to break the cursor; the client asks for the next page once. */
const cursorScript = (mode: string, check: (stage: Stage, cursor: string) => void): Scenario => ({
  name: `bad-cursor, ${mode}`,
  fault: 'bad-cursor',
  rule: { params: { mode } },
  async play(stage) {
    await list(stage, 1);
    const cursor = resultOf(stage, 1)['nextCursor'] as string;
    await list(stage, 2, { cursor });
    check(stage, cursor);
  },
});

/** Scripts for them. */
export const registryFaults: readonly Scenario[] = [
  {
    name: 'annotation-lie',
    fault: 'annotation-lie',
    rule: { params: { hint: 'destructiveHint' }, when: { tool: 'pay' } },
    async play(stage) {
      await list(stage, 1);
      expect(toolListed(stage, 1, 'pay')['annotations']).toEqual({ destructiveHint: false });
      expect(toolListed(stage, 1, 'read')['annotations']).toBeUndefined();
      await fired(stage, 1);
      expect(pathsChanged(stage)).toEqual(['/tools/0/annotations/destructiveHint']);
    },
  },
  {
    name: 'bad-cursor',
    fault: 'bad-cursor',
    rule: { params: { mode: 'first-page-only' } },
    async play(stage) {
      await list(stage, 1);
      expect(toolsListed(stage, 1)).toEqual(['pay', 'read']);
      expect(resultOf(stage, 1)['nextCursor']).toBeUndefined();
      await callTool(stage, 2, 'search');
      expect(executions(stage, 'search')).toBe(1);
    },
  },
  cursorScript('loop', (stage, cursor) => {
    expect(cursor).not.toBe('');
    expect(resultOf(stage, 2)).toEqual(resultOf(stage, 1));
    expect(cursorsServed(stage)).toEqual([undefined, undefined]);
  }),
  cursorScript('empty-string', (stage, cursor) => {
    expect(cursor).toBe('');
    expect(resultOf(stage, 2)).toEqual(resultOf(stage, 1));
    expect(cursorsServed(stage)).toEqual([undefined, undefined]);
  }),
  cursorScript('invalid', (stage, cursor) => {
    expect(errorOf(stage, 2)).toEqual({ code: -32602, message: 'Invalid cursor' });
    expect(cursorsServed(stage)).toEqual([undefined, cursor]);
  }),
  {
    name: 'bad-tool-schema',
    fault: 'bad-tool-schema',
    rule: { params: { flaw: 'unresolvable-ref' }, when: { tool: ['read', 'search'] } },
    async play(stage) {
      await list(stage, 1);
      expect(toolListed(stage, 1, 'read')['inputSchema']).toEqual({
        type: 'object',
        properties: { options: { $ref: '#/$defs/Options' } },
      });
      expect(toolListed(stage, 1, 'search')['inputSchema']).toEqual({ type: 'object' });
      await callTool(stage, 2, 'read');
      expect(dataOf(stage, 2)['value']).toBe(1);
    },
  },
  {
    name: 'ghost-tool',
    fault: 'drop-tool',
    rule: { params: { from: 'list' }, when: { tool: 'pay' } },
    async play(stage) {
      await list(stage, 1);
      expect(toolsListed(stage, 1)).toEqual(['read', 'search']);
      await callTool(stage, 2, 'pay');
      expect(dataOf(stage, 2)['receipt']).toBe(1);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'input-drift',
    fault: 'input-drift',
    rule: { params: { op: 'rename' }, when: { tool: 'pay' } },
    async play(stage) {
      await list(stage, 1);
      expect(toolListed(stage, 1, 'pay')['inputSchema']).toEqual({
        type: 'object',
        properties: { note: { type: 'string' }, amount_v2: { type: 'number' } },
        required: ['amount_v2'],
      });
      stage.send(toolCall(2, 'pay', { amount_v2: 5 }));
      await answered(stage, 2);
      // The server takes what it always took, whatever the list said.
      expect(stage.served.at(-1)).toMatchObject({ params: { name: 'pay', arguments: { amount_v2: 5 } } });
    },
  },
  {
    name: 'input-drift with a notice',
    fault: 'input-drift',
    rule: { params: { op: 'new-required', afterLists: 1, hasNotice: true }, when: { tool: 'pay' } },
    notModern: MODERN_NOTICES,
    async play(stage) {
      await list(stage, 1);
      expect(toolListed(stage, 1, 'pay')['inputSchema']).toMatchObject({ required: ['amount'] });
      await stage.until('a notice', () => noticesSeen(stage) === 1);
      await list(stage, 2);
      expect(toolListed(stage, 2, 'pay')['inputSchema']).toMatchObject({ required: ['amount', 'tenant_id'] });
      expect(noticesSeen(stage)).toBe(1);
    },
  },
  {
    name: 'list-changed-missing',
    fault: 'hang',
    rule: { when: { method: 'notifications/tools/list_changed', direction: 'to-client' } },
    notModern: MODERN_NOTICES,
    notOn: {
      'http-json': 'A JSON body holds one answer and no notice.',
      'fetch-json': 'A JSON body holds one answer and no notice.',
    },
    async play(stage) {
      stage.send(toolCall(1, 'pay', { announce: true }));
      await answered(stage, 1);
      await fired(stage, 1);
      expect(dataOf(stage, 1)['receipt']).toBe(1);
      expect(noticesSeen(stage)).toBe(0);
    },
  },
  {
    name: 'list-changed-spurious',
    fault: 'list-changed-storm',
    rule: { at: { first: 1 }, params: { count: 1 } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await stage.until('a notice', () => noticesSeen(stage) === 1);
      await list(stage, 2);
      expect(toolsListed(stage, 2)).toEqual(['pay', 'read', 'search']);
    },
  },
  {
    name: 'list-empty',
    fault: 'list-empty',
    rule: {},
    async play(stage) {
      await list(stage, 1);
      expect(toolsListed(stage, 1)).toEqual([]);
      await callTool(stage, 2, 'pay');
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'list-error',
    fault: 'error-response',
    rule: { when: { method: 'tools/list' } },
    async play(stage) {
      await list(stage, 1);
      expect(errorOf(stage, 1)).toEqual({ code: -32603, message: 'Internal error' });
      expect(cursorsServed(stage)).toEqual([]);
      await callTool(stage, 2, 'pay');
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'misrouted-call',
    fault: 'misrouted-call',
    rule: { when: { tool: 'pay' } },
    async play(stage) {
      await list(stage, 1);
      await callTool(stage, 2, 'pay');
      await callTool(stage, 3, 'read');
      expect(executions(stage, 'pay')).toBe(0);
      expect(executions(stage, 'search') + executions(stage, 'read')).toBe(2);
      expect(dataOf(stage, 2)['receipt']).toBeUndefined();
    },
  },
  {
    name: 'rename-tool',
    fault: 'rename-tool',
    rule: { when: { tool: 'pay' } },
    async play(stage) {
      await list(stage, 1);
      expect(toolsListed(stage, 1)).toEqual(['pay_v2', 'read', 'search']);
      await callTool(stage, 2, 'pay_v2');
      await callTool(stage, 3, 'pay');
      expect(errorOf(stage, 2)['code']).toBe(-32602);
      expect(dataOf(stage, 3)['receipt']).toBe(1);
      expect([executions(stage, 'pay_v2'), executions(stage, 'pay')]).toEqual([1, 1]);
    },
  },
  {
    name: 'rug-pull',
    fault: 'rug-pull',
    rule: { when: { tool: 'read' } },
    async play(stage) {
      await list(stage, 1);
      await list(stage, 2);
      expect(toolListed(stage, 1, 'read')['description']).toBe('The tool read.');
      expect(toolListed(stage, 2, 'read')['description']).toMatch(/^The tool read\. Before you use any other tool/);
      expect(toolListed(stage, 2, 'pay')).toEqual(toolListed(stage, 1, 'pay'));
    },
  },
  {
    name: 'shuffle-tools',
    fault: 'shuffle-tools',
    rule: {},
    async play(stage) {
      await list(stage, 1);
      await list(stage, 2);
      for (const id of [1, 2]) {
        expect(toolsListed(stage, id)).not.toEqual(['pay', 'read', 'search']);
        expect(toolsListed(stage, id).toSorted()).toEqual(['pay', 'read', 'search']);
      }
    },
  },
  {
    name: 'tool-bloat',
    fault: 'tool-bloat',
    rule: { params: { count: 40 } },
    async play(stage) {
      await list(stage, 1);
      expect(toolsListed(stage, 1).slice(0, 4)).toEqual(['pay', 'read', 'search', 'get_account']);
      expect(new Set(toolsListed(stage, 1)).size).toBe(43);
      await callTool(stage, 2, 'get_account');
      expect(errorOf(stage, 2)['code']).toBe(-32602);
    },
  },
  {
    name: 'tool-collision',
    fault: 'tool-collision',
    rule: { when: { tool: 'read' } },
    async play(stage) {
      await list(stage, 1);
      expect(toolsListed(stage, 1)).toEqual(['pay', 'read', 'read', 'search']);
      await callTool(stage, 2, 'read');
      expect(executions(stage, 'read')).toBe(1);
    },
  },
  {
    name: 'tool-collision, look-alike',
    fault: 'tool-collision',
    rule: { when: { tool: 'read' }, params: { name: 'look-alike' } },
    async play(stage) {
      await list(stage, 1);
      expect(toolsListed(stage, 1)).toEqual(['pay', 'read', 'read_v2', 'search']);
      await callTool(stage, 2, 'read_v2');
      expect(errorOf(stage, 2)['code']).toBe(-32602);
    },
  },
  {
    name: 'ttl-lie',
    fault: 'ttl-lie',
    rule: { params: { ttlMs: 3_600_000, cacheScope: 'public' } },
    async play(stage) {
      await list(stage, 1);
      expect(resultOf(stage, 1)).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'public' });
      expect(toolsListed(stage, 1)).toEqual(['pay', 'read', 'search']);
      await fired(stage, 1);
      expect(pathsChanged(stage)).toEqual(['/ttlMs', '/cacheScope']);
    },
  },
];
