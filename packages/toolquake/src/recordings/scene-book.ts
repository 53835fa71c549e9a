/** Cuts recorded traffic into scenes: which answer, notification and question of the server belongs to what the client said. */
import { isObject, kindOfMessage, paramsOf, type JsonObject, type MessageId } from '@toolquake/sdk/core';
import { createPages, type Pages } from './pages.js';
import { isStart, isTraffic, type RecordedEnd, type RecordedHttp, type RecordedTraffic, type RecordingLine } from './recording-line.js';
import { ownerOf, type Exchange, type OpenScene, type Thread } from './scene-owner.js';
import { idKey, progressTokenOf, sceneKey, toolNamed, type Scene, type Step } from './scene.js';

/** Everything that can be replayed. */
export type SceneBook = {
  /** Scenes by what opens them, each list in recorded order. */
  readonly scenes: ReadonlyMap<string, readonly Scene[]>;
  /** What the server said before it was asked anything. */
  readonly opening: readonly Step[];
  /** Requests that were still open when the recording ended. */
  readonly unanswered: number;
  /** What HTTP has besides messages. */
  readonly pages: Pages;
};

/** Reads all lines of a recording. */
export function createSceneBook(lines: Iterable<RecordingLine>): SceneBook {
  const threads = new Map<string, Thread>();
  const exchanges = new Map<string, Exchange>();
  const all: OpenScene[] = [];
  const opening: Step[] = [];
  const pages = createPages();
  let openingAtMs = 0;

  const threadOf = (session: string): Thread => {
    const thread = threads.get(session) ?? { open: new Map(), asked: new Map(), latest: undefined };
    threads.set(session, thread);
    return thread;
  };

  /** Requests are counted within a run; the label of a session begins with it. */
  const exchangeOf = ({ session, exchange }: { session: string; exchange?: number | undefined }): Exchange | undefined => {
    if (exchange === undefined) return undefined;
    const key = `${session.split('/')[0]} ${exchange}`;
    const found = exchanges.get(key) ?? { scenes: [], hasMessages: false };
    exchanges.set(key, found);
    return found;
  };

  const clientSaid = (thread: Thread, line: RecordedTraffic, message: JsonObject): void => {
    const exchange = exchangeOf(line);
    if (exchange !== undefined) exchange.hasMessages = true;
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
    exchange?.scenes.push(scene);
    thread.latest = scene;
    if (scene.id !== undefined) thread.open.set(idKey(scene.id), scene);
  };

  const closeScene = (thread: Thread, scene: OpenScene): void => {
    scene.isAnswered = true;
    if (thread.open.get(idKey(scene.id)) === scene) thread.open.delete(idKey(scene.id));
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

  /** The scene that an answer with this id ends: of the same HTTP request where there is one. */
  const answeredBy = (thread: Thread, line: RecordedTraffic, id: MessageId | undefined): OpenScene | undefined =>
    exchangeOf(line)?.scenes.find((scene) => !scene.isAnswered && scene.id !== undefined && idKey(scene.id) === idKey(id)) ??
    thread.open.get(idKey(id));

  const answer = (thread: Thread, scene: OpenScene, atMs: number, text: string, message: JsonObject): void => {
    // The stream broke and was resumed: what counts is that the answer came.
    const cut = scene.steps.findIndex(({ kind }) => kind === 'cut');
    if (cut !== -1) scene.steps.splice(cut, 1);
    push(scene, atMs, (gapMs) => ({ kind: 'answer', gapMs, text, message }));
    closeScene(thread, scene);
  };

  const serverSaid = (thread: Thread, line: RecordedTraffic, message: JsonObject, text: string): void => {
    const kind = kindOfMessage(message);
    if (kind === 'response') {
      const scene = answeredBy(thread, line, idOf(message));
      if (scene !== undefined) answer(thread, scene, line.atMs, text, message);
      return;
    }
    if (kind === 'other') return;
    const { scene, to } = ownerOf(thread, exchangeOf(line), message);
    push(scene, line.atMs, (gapMs) => ({ kind: 'say', gapMs, text, message, to }));
    if (kind === 'request' && scene !== undefined) thread.asked.set(idKey(idOf(message)), scene);
  };

  /** An answer that was too large: its id is all that is known of it. */
  const serverFailed = (thread: Thread, line: RecordedTraffic): void => {
    const scene = line.id === undefined ? undefined : answeredBy(thread, line, line.id);
    if (scene === undefined) return;
    push(scene, line.atMs, (gapMs) => ({ kind: 'fail', gapMs }));
    closeScene(thread, scene);
  };

  const trafficSeen = (line: RecordedTraffic): void => {
    const thread = threadOf(line.session);
    const messages = line.message === undefined ? [] : partsOf(line.message);
    for (const { message, text } of messages) {
      if (line.direction === 'to-server') clientSaid(thread, line, message);
      else serverSaid(thread, line, message, text);
    }
    if (messages.length === 0 && line.direction === 'to-client') serverFailed(thread, line);
  };

  const httpSeen = (line: RecordedHttp): void => {
    const { scenes, hasMessages } = exchangeOf(line)!;
    if (!hasMessages) return pages.add(line);
    const { status, path, body, headers, opensSession = false } = line;
    pages.addEndpoint(path);
    const isStream = headers['content-type']?.trimStart().toLowerCase().startsWith('text/event-stream') === true;
    const message = body === undefined ? undefined : partsOf(body)[0];
    for (const scene of scenes) {
      scene.form = { status, isStream, opensSession };
      const isAnswer = message !== undefined && scene.id !== undefined && idKey(idOf(message.message)) === idKey(scene.id);
      if (isAnswer) answer(threadOf(line.session), scene, line.atMs, message.text, message.message);
      else if (body !== undefined || line.note !== undefined || status >= 300) {
        // "Accepted" with a few words is no answer yet.
        if (status < 300 && scene.id === undefined) continue;
        if (status === 202) continue;
        push(scene, line.atMs, (gapMs) => ({ kind: 'reply', gapMs, reply: line }));
        closeScene(threadOf(line.session), scene);
      }
    }
  };

  const endSeen = (line: RecordedEnd): void => {
    const thread = threadOf(line.session);
    for (const scene of exchangeOf(line)!.scenes.filter(({ isAnswered, id }) => !isAnswered && id !== undefined)) {
      if (line.by === 'client') scene.isCancelled = true;
      else push(scene, line.atMs, (gapMs) => ({ kind: 'cut', gapMs }));
      if (line.by === 'client' && thread.open.get(idKey(scene.id)) === scene) thread.open.delete(idKey(scene.id));
    }
  };

  for (const line of lines) {
    if (isStart(line)) pages.start(line);
    else if (isTraffic(line)) trafficSeen(line);
    else if (line.kind === 'http') httpSeen(line);
    else if (line.kind === 'end') endSeen(line);
    else pages.announce(line);
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
  return { scenes, opening, unanswered: all.filter(isLost).length, pages };
}

function openScene(message: JsonObject, atMs: number): OpenScene {
  return {
    method: String(message['method']),
    tool: toolNamed(message),
    key: sceneKey(message),
    id: idOf(message),
    progressToken: progressTokenOf(message),
    steps: [],
    form: undefined,
    lastAtMs: atMs,
    isAnswered: false,
    isCancelled: false,
  };
}

/** The messages of a line: a batch has several. */
function partsOf(text: string): readonly { readonly message: JsonObject; readonly text: string }[] {
  const value = parsed(text);
  if (isObject(value)) return [{ message: value, text }];
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((message) => ({ message, text: JSON.stringify(message) }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function idOf(message: JsonObject): MessageId | undefined {
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
}
