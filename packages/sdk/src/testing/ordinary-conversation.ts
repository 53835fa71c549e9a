/** A conversation as any agent has one: every fault finds something to act on in it. */
import type { JsonObject, MessageId } from '../core/message.js';
import type { Era } from '../core/session.js';
import {
  EXAMPLE_DATA,
  exampleAnswer,
  exampleCall,
  exampleGreeting,
  exampleProgress,
  exampleRequest,
  exampleResult,
  exampleTools,
  exampleWelcome,
} from './example-messages.js';
import type { TestRig } from './test-rig.js';

const inRegion = (region: string): JsonObject => exampleResult({ ...EXAMPLE_DATA, region });

/**
 * Greets, lists, makes two calls at once, gives up on a third, reads again, asks after a task. A modern client also subscribes.
 * Some minutes pass.
 */
export function haveOrdinaryConversation(rig: TestRig, era: Era): void {
  /** The server answers what has reached it, as often as it did. */
  const serve = (id: MessageId, result: JsonObject): void => {
    const heard = rig.ends.log.filter(({ to, part }) => to === 'to-server' && part === id);
    const times = heard.some(({ what }) => what === 'slice') ? 1 : heard.length;
    for (let time = 0; time < times; time++) rig.answer(exampleAnswer(result, { id, era }));
  };
  rig.connect();
  rig.request(exampleGreeting({ id: 'hello', era }));
  rig.clock.advance(10_000);
  serve('hello', exampleWelcome(era));
  rig.request(exampleRequest('tools/list', {}, { id: 1, era }));
  rig.clock.advance(10_000);
  serve(1, exampleTools(undefined, era));
  rig.request(exampleCall({ id: 'two', era }));
  rig.request(exampleCall({ id: 3, era, tool: 'create_refund', args: { order: 'A-1' } }));
  for (const progress of [1, 2]) rig.request(exampleProgress('two', progress), { direction: 'to-client' });
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
  rig.request(exampleRequest('tasks/get', { taskId: 't-1' }, { id: 'task', era }));
  rig.clock.advance(10_000);
  serve('task', { taskId: 't-1', status: 'completed', createdAt: '2026-11-18T10:00:00Z' });
  if (era === 'modern') giveMoreInput(rig, serve);
  if (era === 'modern')
    rig.request(exampleRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'listen', era }));
  rig.clock.advance(60_000);
  rig.performer.close(rig.session);
}

/** The modern way to ask back: an unfinished result, and a second request that brings what was missing. */
function giveMoreInput(rig: TestRig, serve: (id: MessageId, result: JsonObject) => void): void {
  rig.request(exampleCall({ id: 6, era: 'modern' }));
  rig.clock.advance(10_000);
  serve(6, { resultType: 'input_required', requestState: 'page=2' });
  const again = exampleCall({ id: 7, era: 'modern' });
  rig.request({ ...again, params: { ...(again['params'] as JsonObject), requestState: 'page=2' } });
  rig.clock.advance(10_000);
  serve(7, inRegion('eu'));
}

const METHODS: Readonly<Record<string, string>> = { hello: 'initialize', 1: 'tools/list', task: 'tasks/get' };

/** A message that somebody got, and the request that it is about. */
export type Said = { readonly message: unknown; readonly method: string; readonly id: MessageId | undefined };

/** Every message that was sent in a conversation; slices are put together again. */
export function messagesOf(rig: TestRig): readonly Said[] {
  const methodOf = (id: unknown): string => METHODS[String(id)] ?? 'tools/call';
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
