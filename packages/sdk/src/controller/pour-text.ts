/** Sends pieces of text as fast as a client takes them. */

/** What is used of an `http.ServerResponse`. */
export type TextSink = {
  readonly destroyed: boolean;
  write(text: string): boolean;
  end(): unknown;
  on(event: 'close' | 'drain', listener: () => void): unknown;
  removeListener(event: 'close' | 'drain', listener: () => void): unknown;
};

/** Takes the next piece when the client took the last one: what a slow client loses is up to whoever makes the pieces. */
export async function pourText(stream: AsyncIterableIterator<string>, response: TextSink): Promise<void> {
  const stop = (): void => void stream.return?.();
  response.on('close', stop);
  if (response.destroyed) stop();
  for await (const piece of stream) {
    if (response.write(piece) || response.destroyed) continue;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        response.removeListener('drain', goOn);
        response.removeListener('close', goOn);
        resolve();
      };
      response.on('drain', goOn);
      response.on('close', goOn);
    });
  }
  response.end();
}

/** The same as the body of a Response. */
export function textStream(stream: AsyncIterableIterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await stream.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => void stream.return?.(),
  });
}
