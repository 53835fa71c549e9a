/** Recorded messages for another asker: ids and progress tokens become theirs, everything else stays as it was spelled. */
import { editFrame, frameBytes, frameFromBytes, isObject, withId, type JsonObject, type MessageId } from '@toolquake/sdk/core';
import { idKey, SUBSCRIPTION, type Scene, type Step } from './scene.js';

/** Who opened the scene this time. No id: a notification did. */
export type Asker = { readonly id: MessageId | undefined; readonly progressToken: unknown };

type Spoken = Extract<Step, { readonly message: JsonObject }>;

/** The text for this asker; undefined for progress that the asker did not ask for. */
export function forAsker({ kind, text, message }: Spoken, scene: Scene | undefined, asker: Asker | undefined): string | undefined {
  if (scene === undefined || asker === undefined) return text;
  let edited = message;
  if (kind === 'answer' && asker.id !== undefined) {
    if (idKey(message['id'] as MessageId) === idKey(scene.id)) edited = withId(edited, asker.id ?? null);
    edited = inside(edited, 'result', (result) => subscribed(result, scene, asker));
  }
  if (kind === 'say') {
    const { params } = message;
    const isOwnProgress = isObject(params) && scene.progressToken !== undefined && params['progressToken'] === scene.progressToken;
    if (isOwnProgress && asker.progressToken === undefined) return undefined;
    edited = inside(edited, 'params', (one) => {
      let changed = isOwnProgress ? { ...one, progressToken: asker.progressToken } : one;
      if (scene.id !== undefined && one['requestId'] === scene.id) changed = { ...changed, requestId: asker.id };
      return subscribed(changed, scene, asker);
    });
  }
  return edited === message ? text : spell(text, edited);
}

/** A question of the server's, under an id that is not in use yet. */
export function withServerId(
  { text, message }: Spoken,
  isInUse: (id: MessageId) => boolean,
): { readonly text: string; readonly id: MessageId; readonly recordedId: MessageId } {
  const recordedId = message['id'] as MessageId;
  if (!isInUse(recordedId)) return { text, id: recordedId, recordedId };
  let count = 2;
  while (isInUse(`${String(recordedId)}-${count}`)) count++;
  const id = `${String(recordedId)}-${count}`;
  return { text: spell(text, withId(message, id)), id, recordedId };
}

/** Everything that belongs to a subscription names the request that opened it. */
function subscribed(holder: JsonObject, scene: Scene, asker: Asker): JsonObject {
  return inside(holder, '_meta', (meta) =>
    scene.id !== undefined && meta[SUBSCRIPTION] === scene.id ? { ...meta, [SUBSCRIPTION]: asker.id } : meta,
  );
}

function inside(holder: JsonObject, name: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const value = holder[name];
  if (!isObject(value)) return holder;
  const changed = change(value);
  return changed === value ? holder : { ...holder, [name]: changed };
}

function spell(text: string, edited: JsonObject): string {
  const frame = frameFromBytes('to-client', Buffer.from(text));
  return Buffer.from(frameBytes(editFrame(frame, edited))).toString();
}
