/** stdio: a process of our own, one message per line. */
import { kindOfMessage, ToolquakeError, type Clock, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, within, type Stage, type TargetNote } from '../core/connection.js';
import { createLineFramer } from '../proxies/line-framing.js';
import { startServer, type ServerProcess } from '../proxies/stdio-server.js';
import { redactText } from '../recordings/redact.js';
import { excerpt, outcomeOf, parseMessages, politeAnswer } from './rpc-message.js';
import type { Budgets } from './target.js';
import type { Ask, Wire, WireAnswer } from './wire.js';

/** A process to start. */
export type StdioCommand = {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string | undefined;
  readonly budgets: Budgets;
  readonly clock: Clock;
};

type Pending = { readonly ask: Ask; readonly resolve: (answer: WireAnswer) => void; readonly reject: (error: unknown) => void };

const STDERR_TAIL = 2000;
/** After its stdin ended, a server gets this long to leave by itself. */
const GRACE_MS = 1000;

/** Starts the server. Rejects with `stdio_spawn_failed`. */
export async function openStdioWire({ command, env, cwd, budgets, clock }: StdioCommand, step: Stage = 'spawn'): Promise<Wire> {
  const server = await startServer(command, 'pipe', { env, cwd, stderr: 'pipe' }).catch((cause: unknown) => {
    const detail = cause instanceof ToolquakeError ? cause.message : String(cause);
    throw new TargetFailure({ reason: 'stdio_spawn_failed', step, detail, cause });
  });
  return stdioWire(server, budgets, clock);
}

function stdioWire(server: ServerProcess, budgets: Budgets, clock: Clock): Wire {
  const { child } = server;
  const notes: TargetNote[] = [];
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let stderr = '';
  let gone: ((step: Stage) => TargetFailure) | undefined;
  let isClosing = false;

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
  });
  child.stdin?.on('error', () => {});
  child.stdout?.on('error', () => {});
  // `close` rather than `exit`: what the server wrote last has been read by then.
  child.once('close', (code, signal) => {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    const words = lastWords(stderr);
    gone = (step) =>
      new TargetFailure({
        reason: 'stdio_exited',
        step,
        detail: `the server ended ${how}${words === '' ? ', silently' : `, saying: ${words}`}`,
      });
    failAll(gone);
  });

  const failAll = (failure: (step: Stage) => TargetFailure): void => {
    for (const [id, { ask, reject }] of pending) {
      pending.delete(id);
      reject(failure(ask.step));
    }
  };

  const write = (message: JsonObject): void => void child.stdin?.write(`${JSON.stringify(message)}\n`);

  const receive = (message: JsonObject): void => {
    const kind = kindOfMessage(message);
    if (kind === 'request') return write(politeAnswer(message));
    if (kind === 'notification') return pending.forEach(({ ask }) => ask.onNotification?.(message));
    const id = message['id'];
    const waiting = typeof id === 'number' ? pending.get(id) : undefined;
    if (waiting === undefined) {
      // An answer to what was given up long ago is late, not wrong.
      if (kind === 'response' && typeof id === 'number' && id <= lastId && Number.isInteger(id) && id > 0) return;
      const what = kind === 'response' ? `an answer with the id ${JSON.stringify(id)}, which was never asked` : 'JSON that is no message';
      return failAll((step) => new TargetFailure({ reason: 'jsonrpc_invalid', step, detail: `the server sent ${what}` }));
    }
    pending.delete(waiting.ask.id);
    try {
      waiting.resolve({ outcome: outcomeOf(message, waiting.ask.step) });
    } catch (error) {
      waiting.reject(error);
    }
  };

  const oldestStep = (): Stage => pending.values().next().value?.ask.step ?? 'hello';

  const framer = createLineFramer(
    {
      wants: () => true,
      pass: () => {},
      line(bytes) {
        if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').trim() === '') return 'taken';
        try {
          for (const message of parseMessages(bytes, oldestStep(), budgets.maxDepth)) receive(message);
        } catch (error) {
          if (!(error instanceof TargetFailure)) throw error;
          if (error.reason === 'jsonrpc_parse_error') pollute(bytes);
          else failAll((step) => new TargetFailure({ ...error.facts, step }));
        }
        return 'taken';
      },
      oversized() {
        const detail = `a line on stdout is longer than ${budgets.maxAnswerBytes} bytes`;
        failAll((step) => new TargetFailure({ reason: 'answer_too_large', step, detail }));
        return 'taken';
      },
    },
    budgets.maxAnswerBytes,
  );
  child.stdout?.on('data', (chunk: Buffer) => framer.push(chunk)).once('end', () => framer.end());

  const pollute = (bytes: Uint8Array): void => {
    // The first line shows what the matter is; a server that logs there would fill our memory.
    if (notes.length === 0)
      notes.push({ reason: 'stdio_stdout_pollution', step: oldestStep(), detail: `stdout carries ${redactText(excerpt(bytes))}` });
  };

  const ask = (asked: Ask): Promise<WireAnswer> => {
    const { step } = asked;
    const onLate = (): TargetFailure => {
      const [pollution] = notes;
      if (pollution !== undefined) return new TargetFailure({ reason: pollution.reason, step, detail: pollution.detail });
      const method = String(asked.message['method']);
      const words = lastWords(stderr);
      const detail = `${method} was not answered within ${asked.limitMs} ms${words === '' ? '' : `; stderr says: ${words}`}`;
      return new TargetFailure({ reason: step === 'call' ? 'canary_timeout' : 'stdio_no_response', step, detail });
    };
    return within({ clock, limitMs: asked.limitMs, signal: asked.signal }, onLate, (signal) => {
      if (gone !== undefined) return Promise.reject(gone(asked.step));
      lastId = Math.max(lastId, asked.id);
      return new Promise<WireAnswer>((resolve, reject) => {
        signal.addEventListener('abort', () => {
          if (pending.delete(asked.id) && asked.step === 'call') {
            write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: asked.id, reason: 'given up' } });
          }
        });
        pending.set(asked.id, { ask: asked, resolve, reject });
        write(asked.message);
      });
    });
  };

  return {
    transport: 'stdio',
    notes,
    certificateEndsAtMs: () => undefined,
    ask,
    tell: (message) => {
      write(message);
      return Promise.resolve();
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      child.stdin?.end();
      const cancel = clock.schedule(GRACE_MS, () => server.terminate(clock, GRACE_MS));
      await server.exited;
      cancel();
      // Somebody that it started may hold its pipes open.
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    },
  };
}

/** The end of what a server said, without secrets, on one line. */
function lastWords(stderr: string): string {
  const lines = redactText(stderr)
    .split(/\r?\n/)
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim())
    .filter((line) => line !== '' && !line.startsWith('at '));
  return lines.slice(-3).join(' / ').slice(-300);
}
