/** Cuts recorded traffic into scenes: which answer, notification and question of the server belongs to what the client said. */
import { isObject, kindOfMessage, paramsOf, type JsonObject, type MessageId } from '@toolquake/sdk/core';
import { isStart, type RecordedTraffic, type RecordingLine } from './recording-line.js';
import { idKey, progressTokenOf, sceneKey, toolNamed, type Scene, type Step } from './scene.js';

/** Everything that can be replayed. */
export type SceneBook = {
  /** Scenes by what opens them, each list in recorded order. */
  readonly scenes: ReadonlyMap<string, readonly Scene[]>;
  /** What the server said before it was asked anything. */
  readonly opening: readonly Step[];
  /** Requests that were still open when the recording ended. */
  readonly unanswered: number;
};

type OpenScene = { -readonly [Key in keyof Scene]: Scene[Key] } & {
  readonly steps: Step[];
  lastAtMs: number;
  isAnswered: boolean;
  isCancelled: boolean;
};

/** What one conversation remembers while it is read. */
type Thread = {
  readonly open: Map<string, OpenScene>;
  /** Who asked the client what: by the server's ids. */
  readonly asked: Map<string, OpenScene>;
  latest: OpenScene | undefined;
};

/** Reads all lines of a recording. */
export function createSceneBook(lines: Iterable<RecordingLine>): SceneBook {
  const threads = new Map<string, Thread>();
  const all: OpenScene[] = [];
  const opening: Step[] = [];
  let openingAtMs = 0;

  const threadOf = (session: string): Thread => {
    const thread = threads.get(session) ?? { open: new Map(), asked: new Map(), latest: undefined };
    threads.set(session, thread);
    return thread;
  };

  const clientSaid = (thread: Thread, line: RecordedTraffic, message: JsonObject): void => {
    if (kindOfMessage(message) === 'response') {
      const key = idKey(idOf(message));
      const scene = thread.asked.get(key);
      if (scene === undefined) return;
      thread.asked.delete(key);
      scene.steps.push({ kind: 'await', gapMs: 0, id: idOf(message) ?? null });
      scene.lastAtMs = line.atMs;
      return;
    }
    if (typeof message['method'] !== 'string') return;
    const scene = openScene(message, line.atMs);
    if (scene.method === 'notifications/cancelled') {
      const cancelled = thread.open.get(idKey(paramsOf(message)['requestId'] as MessageId));
      if (cancelled !== undefined) cancelled.isCancelled = true;
    }
    all.push(scene);
    thread.latest = scene;
    if (scene.id !== undefined) thread.open.set(idKey(scene.id), scene);
  };

  const closeScene = (thread: Thread, scene: OpenScene): void => {
    scene.isAnswered = true;
    thread.open.delete(idKey(scene.id));
  };

  const push = (scene: OpenScene | undefined, atMs: number, step: (gapMs: number) => Step): void => {
    if (scene === undefined) {
      opening.push(step(Math.max(0, atMs - openingAtMs)));
      openingAtMs = atMs;
      return;
    }
    scene.steps.push(step(Math.max(0, atMs - scene.lastAtMs)));
    scene.lastAtMs = atMs;
  };

  const serverSaid = (thread: Thread, line: RecordedTraffic, message: JsonObject, text: string): void => {
    const kind = kindOfMessage(message);
    if (kind === 'response') {
      const scene = thread.open.get(idKey(idOf(message)));
      if (scene === undefined) return;
      push(scene, line.atMs, (gapMs) => ({ kind: 'answer', gapMs, text, message }));
      closeScene(thread, scene);
      return;
    }
    if (kind === 'other') return;
    const scene = ownerOf(thread, message);
    push(scene, line.atMs, (gapMs) => ({ kind: 'say', gapMs, text, message }));
    if (kind === 'request' && scene !== undefined) thread.asked.set(idKey(idOf(message)), scene);
  };

  /** An answer that was too large: its id is all that is known of it. */
  const serverFailed = (thread: Thread, { id, atMs }: RecordedTraffic): void => {
    const scene = id === undefined ? undefined : thread.open.get(idKey(id));
    if (scene === undefined) return;
    push(scene, atMs, (gapMs) => ({ kind: 'fail', gapMs }));
    closeScene(thread, scene);
  };

  for (const line of lines) {
    if (isStart(line)) continue;
    const thread = threadOf(line.session);
    const messages = line.message === undefined ? [] : partsOf(line.message);
    for (const { message, text } of messages) {
      if (line.direction === 'to-server') clientSaid(thread, line, message);
      else serverSaid(thread, line, message, text);
    }
    if (messages.length === 0 && line.direction === 'to-client') serverFailed(thread, line);
  }

  const isLost = (scene: OpenScene): boolean =>
    scene.id !== undefined && !scene.isAnswered && !scene.isCancelled && scene.steps.length === 0;
  const scenes = new Map<string, Scene[]>();
  for (const scene of all) {
    if (isLost(scene)) continue;
    const list = scenes.get(scene.key);
    if (list === undefined) scenes.set(scene.key, [scene]);
    else list.push(scene);
  }
  return {
    scenes,
    opening,
    unanswered: all.filter(isLost).length,
  };
}

function openScene(message: JsonObject, atMs: number): OpenScene {
  return {
    method: String(message['method']),
    tool: toolNamed(message),
    key: sceneKey(message),
    id: idOf(message),
    progressToken: progressTokenOf(message),
    steps: [],
    lastAtMs: atMs,
    isAnswered: false,
    isCancelled: false,
  };
}

/** Progress says whose it is; anything else is about the latest open request. */
function ownerOf(thread: Thread, message: JsonObject): OpenScene | undefined {
  const token = paramsOf(message)['progressToken'];
  const open = [...thread.open.values()];
  const byToken = token === undefined ? undefined : open.find(({ progressToken }) => progressToken === token);
  if (byToken !== undefined) return byToken;
  return open.at(-1) ?? thread.latest;
}

/** The messages of a line: a batch has several. */
function partsOf(text: string): readonly { readonly message: JsonObject; readonly text: string }[] {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return [{ message: value, text }];
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((message) => ({ message, text: JSON.stringify(message) }));
}

function idOf(message: JsonObject): MessageId | undefined {
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
}
