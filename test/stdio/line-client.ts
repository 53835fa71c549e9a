/** The client's side of a pipe, for tests: says messages and awaits lines; never waits for time to pass. */
import type { Readable, Writable } from 'node:stream';

type Message = {
  id?: string | number;
  method?: string;
  result?: { content?: { text: string }[] };
  error?: { code: number; message: string };
};

/** A conversation over two streams. */
export type LineClient = {
  send(message: object): void;
  raw(bytes: string | Uint8Array): void;
  call(id: string | number, tool: string, args?: object): void;
  /** The next line that fits, past or future; each line is handed out once. Rejects when the output ends without it. */
  line(fits: (message: Message | undefined, text: string) => boolean): Promise<Message | undefined>;
  answer(id: string | number): Promise<Message>;
  text(id: string | number): Promise<string | undefined>;
  end(): void;
  /** Everything received so far. */
  readonly received: () => Buffer;
  readonly ended: Promise<void>;
};

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined;
  }
}

/** Builds a client. */
export function createLineClient(input: Writable, output: Readable): LineClient {
  const chunks: Buffer[] = [];
  const unread: string[] = [];
  let rest: Buffer[] = [];
  let isOver = false;
  const waiters = new Set<() => void>();
  const wake = (): void => waiters.forEach((look) => look());
  output.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    let from = 0;
    for (let newline; (newline = chunk.indexOf(0x0a, from)) !== -1; from = newline + 1) {
      unread.push(Buffer.concat([...rest, chunk.subarray(from, newline)]).toString());
      rest = [];
    }
    rest.push(chunk.subarray(from));
    if (from > 0) wake();
  });
  const ended = new Promise<void>((resolve) => {
    const over = (): void => {
      isOver = true;
      resolve();
      wake();
    };
    output.on('end', over).on('close', over);
  });
  input.on('error', () => {});

  const client: LineClient = {
    raw: (bytes) => void input.write(bytes),
    send: (message) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    call: (id, name, args = {}) => client.send({ id, method: 'tools/call', params: { name, arguments: args } }),
    line: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const index = unread.findIndex((text) => fits(parse(text), text));
          if (index === -1 && !isOver) return;
          waiters.delete(look);
          if (index === -1) return reject(new Error('the output ended without the line'));
          const [text] = unread.splice(index, 1);
          resolve(parse(text ?? ''));
        };
        waiters.add(look);
        look();
      }),
    answer: async (id) => (await client.line((message) => message?.id === id && message.method === undefined)) ?? {},
    text: async (id) => (await client.answer(id)).result?.content?.[0]?.text,
    end: () => void input.end(),
    received: () => Buffer.concat(chunks),
    ended,
  };
  return client;
}
