/** Whose doing it is that a server says something. */
import { paramsOf, type JsonObject } from '@toolquake/sdk/core';
import { subscriptionOf, type Scene, type Step } from './scene.js';

/** A scene while it is read. */
export type OpenScene = { -readonly [Key in keyof Scene]: Scene[Key] } & {
  readonly steps: Step[];
  lastAtMs: number;
  isAnswered: boolean;
  isCancelled: boolean;
};

/** What one conversation remembers while it is read. */
export type Thread = {
  readonly open: Map<string, OpenScene>;
  /** Who asked the client what: by the server's ids. */
  readonly asked: Map<string, OpenScene>;
  latest: OpenScene | undefined;
};

/** An HTTP request: the scenes that its messages opened. */
export type Exchange = { readonly scenes: OpenScene[]; hasMessages: boolean };

const LISTEN = 'subscriptions/listen';

/** The scene, and where the message was said if not beside its answer. */
export type Owner = { readonly scene: OpenScene | undefined; readonly to?: 'news' | OpenScene | undefined };

/**
 * Whose doing it is that the server says something. Progress says whose it is, and a POST's own stream too. News of a
 * subscription, or in the stream that is for news, came because of whatever the client did last.
 */
export function ownerOf(thread: Thread, exchange: Exchange | undefined, message: JsonObject): Owner {
  const token = paramsOf(message)['progressToken'];
  const isOfToken = ({ progressToken }: OpenScene): boolean => token !== undefined && progressToken === token;
  const subscription = subscriptionOf(message);
  const listen = (exchange?.scenes ?? [...thread.open.values()]).find(
    ({ method, id }) => method === LISTEN && (exchange !== undefined || id === subscription),
  );
  if (listen !== undefined) {
    const isFirst = listen.steps.length === 0 || thread.latest === undefined;
    return isFirst || thread.latest === listen ? { scene: listen } : { scene: thread.latest, to: listen };
  }
  const own = exchange?.scenes.filter(({ id }) => id !== undefined) ?? [];
  if (own.length > 0) return { scene: own.find(isOfToken) ?? own.findLast(({ isAnswered }) => !isAnswered) ?? own.at(-1) };
  const open = [...thread.open.values()].filter(({ method }) => method !== LISTEN);
  const byToken = open.find(isOfToken);
  if (byToken !== undefined) return { scene: byToken };
  return { scene: open.at(-1) ?? thread.latest, to: exchange === undefined ? undefined : 'news' };
}
