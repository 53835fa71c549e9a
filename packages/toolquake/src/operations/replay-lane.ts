/** One POST to a replayed server, and what it gets: JSON or a stream, as it was recorded, else whichever is needed. */
import type { ServerResponse } from 'node:http';
import { encodeEvent } from '@toolquake/sdk/core';
import type { Outlet } from '../recordings/replay.js';
import type { HttpForm, HttpReply } from '../recordings/scene.js';

/** What a lane is made from. */
export type LaneOptions = {
  readonly response: ServerResponse;
  /** The client takes event streams. */
  readonly takesStream: boolean;
  /** Requests in the POST: more than one in a batch. */
  readonly requests: number;
  readonly isBatch: boolean;
  /** Takes what is said when the answer is over. */
  readonly news: (text: string) => void;
  /** Headers that go with the answer. */
  readonly headersFor: (form: HttpForm | undefined) => Readonly<Record<string, string>>;
};

/** Writes one message as an event. */
export function writeEvent(response: ServerResponse, text: string): void {
  if (!response.destroyed && !response.writableEnded) response.write(encodeEvent(Buffer.from(text)));
}

/** How every stream begins. */
export const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' } as const;

/** Sends a recorded answer that holds no message. */
export function sendReply(response: ServerResponse, { status, headers, body, isBase64 }: HttpReply): void {
  response.writeHead(status, headers).end(isBase64 === true ? Buffer.from(body ?? '', 'base64') : body);
}

/** Builds the outlet of a POST. */
export function createLane({ response, takesStream, requests, isBatch, news, headersFor }: LaneOptions): Outlet {
  const answers: string[] = [];
  let due = requests;
  let form: HttpForm | undefined;
  let state: 'waiting' | 'streaming' | 'over' = 'waiting';
  response.on('close', () => void (state = 'over'));

  const openStream = (): void => {
    if (state !== 'waiting' || !takesStream) return;
    state = 'streaming';
    response.writeHead(200, { ...STREAM_HEADERS, ...headersFor(form) });
    response.flushHeaders();
    for (const text of answers) writeEvent(response, text);
  };

  return {
    begin(given) {
      form ??= given;
      if (given?.isStream === true) openStream();
    },
    say(text) {
      openStream();
      if (state === 'streaming') writeEvent(response, text);
      else if (state === 'over') news(text);
    },
    answer(text) {
      due--;
      answers.push(text);
      if (state === 'streaming') {
        writeEvent(response, text);
        if (due <= 0) response.end();
      } else if (state === 'waiting' && due <= 0) {
        const status = form === undefined || form.status === 202 ? 200 : form.status;
        response.writeHead(status, { 'content-type': 'application/json', ...headersFor(form) });
        response.end(isBatch && answers.length > 0 ? `[${answers.join(',')}]` : text);
      } else return;
      if (due <= 0) state = 'over';
    },
    reply(reply) {
      if (state === 'waiting') sendReply(response, reply);
      else if (state === 'streaming') response.end();
      state = 'over';
    },
    cut() {
      state = 'over';
      response.socket?.resetAndDestroy();
    },
    accept() {
      if (state !== 'waiting' || requests > 0) return;
      state = 'over';
      response.writeHead(202, headersFor(form)).end();
    },
  };
}
