/** What simulated tools answer: a reading that is never the same twice, rows where the tool lists something, and their total. */
import type { JsonObject } from '@toolquake/sdk/core';
import { JSON_READING, type ReadingShape } from './reading.js';
import type { ServerSpec } from './topology-fields.js';

/** The results of one server. */
export type Results = { of(tool: string, reading: number): JsonObject; listing(): JsonObject };

/** Prepares what all results of a server share; results are never edited in place, so they may. */
export function createResults({ tools, items }: Pick<ServerSpec, 'tools' | 'items'>): Results {
  const shape: ReadingShape = items === 0 ? JSON_READING.plain : JSON_READING.list;
  const contents = new Map(tools.map((tool) => [tool, [{ type: 'text', text: `${tool}: nothing unusual` }]]));
  const rows = Array.from({ length: items }, (_, index) => ({ id: `row-${index + 1}`, value: 100 + 7 * index }));
  return {
    of(tool, reading) {
      // A tool that moved here is not in the list of the start.
      let content = contents.get(tool);
      if (content === undefined) contents.set(tool, (content = [{ type: 'text', text: `${tool}: nothing unusual` }]));
      if (items === 0) return { content, structuredContent: { tool, reading } };
      return { content, structuredContent: { tool, reading, items: rows, total: items } };
    },
    listing: () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' }, outputSchema: shape })) }),
  };
}
