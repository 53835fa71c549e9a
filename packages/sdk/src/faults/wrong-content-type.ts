import { answer } from '../core/effect.js';
import { isHeaderText } from '../core/header-value.js';
import { defineFault } from '../core/fault.js';
import { frameBytes } from '../core/frame.js';
import { text } from '../core/params.js';

/** The right bytes under the wrong name: clients that go by the name find no answer, and some wait for one for ever. */
export const wrongContentType = defineFault({
  type: 'wrong-content-type',
  summary: 'Delivers the answer under a content type that no MCP client reads.',
  carriers: ['http'],
  role: 'terminal',
  phases: ['post'],
  cannot: {
    stdio: 'A pipe carries no content types.',
    'in-process': 'No content types are carried in process.',
    'legacy-sse': 'Answers come as events in a stream that is open already, so they have no content type of their own.',
  },
  params: { contentType: text({ default: 'text/plain', about: 'What the Content-Type header says.' }) },
  whyPointless: ({ contentType }) => {
    if (!isHeaderText(contentType)) return 'its contentType cannot stand in a header';
    return /json|event-stream/i.test(contentType) ? 'its contentType is one that clients read' : undefined;
  },
  decide: (event, { contentType }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    if (event.frame.isOpaque) return context.notDelivered('too large');
    const body = new TextDecoder().decode(frameBytes(event.frame));
    return [answer(undefined, { status: 200, headers: { 'content-type': contentType }, body })];
  },
});
