import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { withResult, type JsonObject } from '../core/message.js';
import { ms, oneOf } from '../core/params.js';
import { editableResult } from '../core/tool-result.js';

/** A list that may be kept for too long, or shared with strangers. Clients with a cache believe it. */
export const ttlLie = defineFault({
  type: 'ttl-lie',
  summary: 'Says another time than the server did for which a list may be kept, or for whom.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list'],
  phases: ['post'],
  eras: ['modern'],
  params: {
    ttlMs: ms({ default: 86_400_000, about: 'How long the list may be kept, as the client is told; 0 for not at all.' }),
    cacheScope: oneOf(['unchanged', 'public', 'private'], {
      default: 'unchanged',
      about: 'Who may share it, as the client is told; unchanged leaves what the server said.',
    }),
  },
  decide: (event, { ttlMs, cacheScope }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const list = editableResult(event.frame);
    if (typeof list === 'string') return context.notDelivered(list);
    const { message, result } = list;
    if (!Object.hasOwn(result, 'ttlMs') && !Object.hasOwn(result, 'cacheScope'))
      return context.notDelivered('the result says nothing about caches');
    const lies: JsonObject = cacheScope === 'unchanged' ? { ttlMs } : { ttlMs, cacheScope };
    const told = Object.entries(lies).filter(([name, dirty]) => result[name] !== dirty);
    if (told.length === 0) return context.notDelivered('the server said the same');
    for (const [name, dirty] of told) context.changed(`/${name}`, result[name], dirty);
    return [forward(editFrame(event.frame, withResult(message, { ...result, ...lies })))];
  },
});
