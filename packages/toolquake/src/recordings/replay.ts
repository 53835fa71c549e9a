/** Plays recorded scenes to whoever asks for them. Pure: the clock is handed in, and messages leave through an outlet. */
import { kindOfMessage, isObject, paramsOf, rpcError, type Clock, type JsonObject, type MessageId } from '@toolquake/sdk/core';
import { describeMessage, nearestTo } from './nearest-scene.js';
import { forAsker, withServerId, type Asker } from './rewrite.js';
import { idKey, progressTokenOf, sceneKey, type HttpForm, type HttpReply, type Scene, type Step } from './scene.js';
import type { SceneBook } from './scene-book.js';

/** How a replay is made. */
export type ReplayOptions = {
  readonly book: SceneBook;
  readonly clock: Clock;
  /** `original` waits as long as the server did; `none` does not wait. */
  readonly timing: 'original' | 'none';
  /** What a question gets that was asked more often than in the recording: its last answer again, or an error. */
  readonly exhausted: 'repeat' | 'error';
  /** One line for people. Never says what arguments were: they may be secrets. */
  readonly tell: (line: string) => void;
};

/** Where the messages of one scene go. */
export type Outlet = {
  /** How the answer travelled when it was recorded; before anything is said. */
  begin(form: HttpForm | undefined): void;
  /** Something besides the answer. */
  say(text: string): void;
  /** The answer; after it the scene may still have things to say. */
  answer(text: string): void;
  /** An HTTP answer without a message, to the request with this id. */
  reply(reply: HttpReply, id: MessageId): void;
  /** The server broke the connection off. */
  cut(): void;
  /** The message was taken, and asks for no answer. */
  accept(): void;
};

/** One client. */
export type ReplayConnection = {
  /** Says what the server said of its own accord. */
  open(): void;
  /** Takes a parsed message, or a batch of them. */
  receive(message: unknown, outlet: Outlet): void;
  /** The client does not wait for this outlet any more. */
  hangUp(outlet: Outlet): void;
};

/** A server made from a recording. Answers are used up by all its clients together. */
export type Replay = {
  /** `news` takes what the server says unasked. */
  connect(news: (text: string) => void): ReplayConnection;
  /** Requests that the recording has no answer for. */
  readonly unmatched: number;
  /** Resolves when nothing is waiting for its time any more. */
  whenIdle(): Promise<void>;
  /** Says nothing more. */
  stop(): void;
};

/** The handshake is answered whatever the client says about itself. */
const HANDSHAKES: readonly string[] = ['initialize', 'server/discover'];

const SILENT: Outlet = { begin() {}, say() {}, answer() {}, reply() {}, cut() {}, accept() {} };

/** Builds a replay. */
export function createReplay({ book, clock, timing, exhausted, tell }: ReplayOptions): Replay {
  const used = new Map<string, number>();
  const told = new Set<string>();
  const timers = new Set<() => void>();
  /** Who is subscribed to what, by the scene that opened the subscription. */
  const subscribers = new Map<Scene, Set<{ readonly asker: Asker; readonly outlet: Outlet }>>();
  let idle: (() => void)[] = [];
  let unmatched = 0;
  let isStopped = false;

  const tellOnce = (line: string): void => {
    if (told.has(line) || told.size >= 100) return;
    told.add(line);
    tell(line);
  };

  const later = (afterMs: number, action: () => void): (() => void) => {
    const cancelTimer = clock.schedule(afterMs, () => {
      timers.delete(cancel);
      action();
      settle();
    });
    const cancel = (): void => {
      cancelTimer();
      timers.delete(cancel);
      settle();
    };
    timers.add(cancel);
    return cancel;
  };

  const settle = (): void => {
    if (timers.size > 0) return;
    const callbacks = idle;
    idle = [];
    for (const callback of callbacks) callback();
  };

  /** The next scene that this message opens. */
  const take = (message: JsonObject): Scene | 'exhausted' | undefined => {
    const method = String(message['method']);
    let key = sceneKey(message);
    let scenes = book.scenes.get(key);
    if (scenes === undefined && HANDSHAKES.includes(method)) {
      key = method;
      scenes = [...book.scenes.values()].flat().filter((scene) => scene.method === method);
    }
    if (scenes === undefined || scenes.length === 0) return undefined;
    const index = used.get(key) ?? 0;
    used.set(key, index + 1);
    if (index < scenes.length || HANDSHAKES.includes(method) || 'id' in message === false)
      return scenes[Math.min(index, scenes.length - 1)];
    if (exhausted === 'error') return 'exhausted';
    tellOnce(`${describeMessage(message)} was asked more often than recorded: its last answer is repeated.`);
    return scenes.at(-1);
  };

  const refuse = (message: JsonObject, id: MessageId, outlet: Outlet, why: 'exhausted' | undefined): void => {
    const method = String(message['method']);
    if (method === 'ping') return outlet.answer(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    // Asking for the modern era is how a client finds out that a server is none.
    if (method === 'server/discover') return outlet.answer(JSON.stringify(rpcError(id, -32601, 'Method not found')));
    unmatched++;
    const isKnown = [...book.scenes.values()].some(([scene]) => scene?.method === method);
    const reason = why === 'exhausted' ? 'its recorded answers are used up' : nearestTo(message, book);
    tellOnce(`no recorded answer for ${describeMessage(message)}: ${reason}.`);
    const error = isKnown ? rpcError(id, -32602, 'Invalid params') : rpcError(id, -32601, 'Method not found');
    outlet.answer(JSON.stringify(error));
  };

  const connect = (news: (text: string) => void): ReplayConnection => {
    /** Questions of the server's that are on their way, by the id that the client sees. */
    const asked = new Map<string, { hasArrived: boolean; resume: (() => void) | undefined }>();
    const running = new Map<string, () => void>();
    const playing = new Map<Outlet, Set<() => void>>();

    /** Says something where it was said: beside the answer, in the stream for news, or to subscribers. */
    const say = (step: Extract<Step, { kind: 'say' }>, scene: Scene | undefined, asker: Asker | undefined, outlet: Outlet): void => {
      if (typeof step.to === 'object') {
        for (const one of subscribers.get(step.to) ?? []) one.outlet.say(forAsker(step, step.to, one.asker) ?? step.text);
        return;
      }
      const text = forAsker(step, scene, asker);
      if (text === undefined) return;
      if (step.to === 'news') news(text);
      else outlet.say(text);
    };

    const play = (steps: readonly Step[], scene: Scene | undefined, asker: Asker | undefined, outlet: Outlet): void => {
      const serverIds = new Map<string, string>();
      const runningKey = asker?.id === undefined ? undefined : idKey(asker.id);
      let isOver = false;
      let cancel = (): void => {};
      const finish = (): void => {
        isOver = true;
        playing.get(outlet)?.delete(halt);
        if (playing.get(outlet)?.size === 0) playing.delete(outlet);
        if (runningKey !== undefined && running.get(runningKey) === halt) running.delete(runningKey);
      };
      const halt = (): void => {
        cancel();
        finish();
      };
      if (runningKey !== undefined) running.set(runningKey, halt);
      playing.set(outlet, (playing.get(outlet) ?? new Set()).add(halt));
      if (scene?.id !== undefined && asker !== undefined && scene.method === 'subscriptions/listen')
        subscribers.set(scene, (subscribers.get(scene) ?? new Set()).add({ asker, outlet }));
      const unsubscribe = (): void => {
        const all = scene === undefined ? undefined : subscribers.get(scene);
        for (const one of all ?? []) if (one.outlet === outlet) all?.delete(one);
      };

      /** False when the scene has to wait. */
      const act = (step: Step, resume: () => void): boolean => {
        if (step.kind === 'await') {
          const key = serverIds.get(idKey(step.id));
          const question = key === undefined ? undefined : asked.get(key);
          if (key === undefined || question === undefined) return true;
          if (!question.hasArrived) question.resume = resume;
          else asked.delete(key);
          return question.hasArrived;
        }
        if (step.kind === 'cut') outlet.cut();
        else if (step.kind === 'reply') outlet.reply(step.reply, asker?.id ?? null);
        else if (step.kind === 'fail') {
          tellOnce(`the recorded answer to ${scene?.method ?? 'nobody'} was too large to be recorded.`);
          outlet.answer(JSON.stringify(rpcError(asker?.id ?? null, -32603, 'Internal error')));
        } else if (step.kind === 'answer') {
          unsubscribe();
          outlet.answer(forAsker(step, scene, asker) ?? step.text);
        } else if (kindOfMessage(step.message) === 'request') {
          const text = withServerId(step, (id) => asked.has(idKey(id)));
          serverIds.set(idKey(text.recordedId), idKey(text.id));
          asked.set(idKey(text.id), { hasArrived: false, resume: undefined });
          if (step.to === 'news') news(text.text);
          else outlet.say(text.text);
        } else say(step, scene, asker, outlet);
        return true;
      };

      const from = (start: number, hasWaited: boolean): void => {
        for (let index = start; index < steps.length && !isOver && !isStopped; index++) {
          const step = steps[index]!;
          if (timing === 'original' && step.gapMs > 0 && !(hasWaited && index === start)) {
            cancel = later(step.gapMs, () => from(index, true));
            return;
          }
          if (!act(step, () => from(index + 1, false))) return;
        }
        finish();
      };
      from(0, false);
    };

    const receiveOne = (message: JsonObject, outlet: Outlet): void => {
      const kind = kindOfMessage(message);
      const id = message['id'] as MessageId | undefined;
      if (kind === 'response') {
        outlet.accept();
        const question = asked.get(idKey(id));
        if (question === undefined) return;
        question.hasArrived = true;
        if (question.resume === undefined) return;
        asked.delete(idKey(id));
        question.resume();
        return;
      }
      if (kind === 'other') {
        outlet.answer(JSON.stringify(rpcError(null, -32600, 'Invalid Request')));
        return;
      }
      if (message['method'] === 'notifications/cancelled') running.get(idKey(paramsOf(message)['requestId'] as MessageId))?.();
      const scene = take(message);
      if (scene !== undefined && scene !== 'exhausted') {
        const asker = { id: kind === 'request' ? (id ?? null) : undefined, progressToken: progressTokenOf(message) };
        // A request is answered by its scene; a notification is only refused if the server refused it.
        outlet.begin(scene.form);
        if (kind === 'notification' && !scene.steps.some((step) => step.kind === 'reply')) outlet.accept();
        play(scene.steps, scene, asker, outlet);
      } else if (kind === 'request') refuse(message, id ?? null, outlet, scene);
      else outlet.accept();
    };

    return {
      open: () => play(book.opening, undefined, undefined, { ...SILENT, say: news }),
      hangUp(outlet) {
        for (const halt of playing.get(outlet) ?? []) halt();
        for (const set of subscribers.values()) for (const one of set) if (one.outlet === outlet) set.delete(one);
      },
      receive(message, outlet) {
        for (const one of Array.isArray(message) ? message : [message]) {
          if (isObject(one)) receiveOne(one, outlet);
          else outlet.answer(JSON.stringify(rpcError(null, -32600, 'Invalid Request')));
        }
      },
    };
  };

  return {
    connect,
    get unmatched() {
      return unmatched;
    },
    whenIdle: () => (timers.size === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
    stop() {
      isStopped = true;
      for (const cancel of timers) cancel();
    },
  };
}
