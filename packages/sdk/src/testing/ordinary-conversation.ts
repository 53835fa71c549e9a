/** A conversation as any agent has one: every fault finds something to act on in it. */
import type { JsonObject, MessageId } from '../core/message.js';
import type { Era } from '../core/session.js';
import { EXAMPLE_DATA, exampleAnswer, exampleCall, exampleRequest, exampleResult, exampleTools } from './example-messages.js';
import type { TestRig } from './test-rig.js';

const inRegion = (region: string): JsonObject => exampleResult({ ...EXAMPLE_DATA, region });

/** Connects, lists, makes two calls at once, gives up on a third, and reads again. A modern client also subscribes. Some minutes pass. */
export function haveOrdinaryConversation(rig: TestRig, era: Era): void {
  /** The server answers what has reached it, as often as it did. */
  const serve = (id: MessageId, result: JsonObject): void => {
    const heard = rig.ends.log.filter(({ to, part }) => to === 'to-server' && part === id);
    const times = heard.some(({ what }) => what === 'slice') ? 1 : heard.length;
    for (let time = 0; time < times; time++) rig.answer(exampleAnswer(result, { id, era }));
  };
  rig.connect();
  rig.request(exampleRequest('tools/list', {}, { id: 1, era }));
  rig.clock.advance(10_000);
  serve(1, exampleTools(undefined, era));
  rig.request(exampleCall({ id: 'two', era }));
  rig.request(exampleCall({ id: 3, era, tool: 'create_refund', args: { order: 'A-1' } }));
  rig.clock.advance(10_000);
  serve('two', inRegion('eu'));
  serve(3, { content: [{ type: 'text', text: 'Refunded A-1. Es grüßt der Händler.' }] });
  rig.clock.advance(10_000);
  rig.request(exampleCall({ id: 4, era }));
  rig.cancel(4);
  rig.clock.advance(10_000);
  rig.request(exampleCall({ id: 5, era }));
  rig.clock.advance(10_000);
  serve(5, inRegion('us'));
  if (era === 'modern') rig.request(exampleRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 6, era }));
  rig.clock.advance(60_000);
  rig.performer.close(rig.session);
}

/** A message that somebody got, and the request that it is about. */
export type Said = { readonly message: unknown; readonly method: string; readonly id: MessageId | undefined };

/** Every message that was sent in a conversation; slices are put together again. */
export function messagesOf(rig: TestRig): readonly Said[] {
  const methodOf = (id: unknown): string => (id === 1 ? 'tools/list' : 'tools/call');
  const sliced = new Map<string, { readonly id: MessageId | undefined; readonly bytes: number[] }>();
  const said: Said[] = [];
  for (const { what, to, part: id, message, bytes, http } of rig.ends.log) {
    if (what === 'slice') {
      const key = `${to} ${String(id)}`;
      const whole = sliced.get(key) ?? { id, bytes: [] };
      sliced.set(key, whole);
      whole.bytes.push(...(bytes ?? []));
      continue;
    }
    // An HTTP-level refusal has not read the request, so it may leave the id open.
    const isUnread = http !== undefined && http.status >= 400 && (message as { id?: unknown } | undefined)?.id === null;
    if (message !== undefined) said.push({ message, method: methodOf(id), id: isUnread ? null : id });
  }
  for (const { id, bytes } of sliced.values()) {
    said.push({ message: JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes))), method: methodOf(id), id });
  }
  return said;
}
