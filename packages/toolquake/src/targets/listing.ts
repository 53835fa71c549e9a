/** Follows the pages of a list, and never for ever. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, type Listing, type ListKind, type RequestOptions, type TargetNote } from '../core/connection.js';
import type { Conversation } from './conversation.js';
import type { Budgets } from './target.js';

const METHOD: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};

/** All items of a list. Endless cursors end as `pagination_runaway`, floods of items as `answer_too_large`. */
export async function listPages(
  conversation: Conversation,
  kind: ListKind,
  { maxPages, maxItems }: Budgets,
  options: RequestOptions,
  notes: TargetNote[],
): Promise<Listing> {
  const method = METHOD[kind];
  const failed = (reason: 'pagination_runaway' | 'answer_too_large' | 'result_schema_invalid', detail: string): TargetFailure =>
    new TargetFailure({ reason, step: 'list', detail: `${method} ${detail}` });
  const items: JsonObject[] = [];
  const cursors = new Set<string>();
  let envelope: JsonObject | undefined;
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const result = await conversation.want('list', method, cursor === undefined ? {} : { cursor }, options);
    const { [kind]: page, ...rest } = result;
    if (!Array.isArray(page) || !page.every(isObject)) throw failed('result_schema_invalid', `has no list of objects in "${kind}"`);
    for (const item of page) items.push(item);
    if (items.length > maxItems) throw failed('answer_too_large', `has more than ${maxItems} entries`);
    if (envelope === undefined) {
      envelope = rest;
      noteMissing(conversation, rest, method, notes);
    }
    const next = rest['nextCursor'];
    if (next === undefined || next === null) return { items, pages, envelope };
    if (typeof next !== 'string') throw failed('result_schema_invalid', 'has a nextCursor that is no text');
    if (cursors.has(next)) throw failed('pagination_runaway', `gave the same cursor twice, on page ${pages}`);
    if (pages >= maxPages) throw failed('pagination_runaway', `has more than ${maxPages} pages`);
    cursors.add(next);
    cursor = next;
  }
}

/** Results of the modern era say how long they hold; a client can live without it, and should be told. */
function noteMissing({ speaker }: Conversation, envelope: JsonObject, method: string, notes: TargetNote[]): void {
  if (speaker.era === 'legacy') return;
  const missing = ['resultType', 'ttlMs', 'cacheScope'].filter((name) => !(name in envelope));
  if (missing.length === 0) return;
  notes.push({ reason: 'result_schema_invalid', step: 'list', detail: `the result of ${method} lacks ${missing.join(', ')}` });
}
