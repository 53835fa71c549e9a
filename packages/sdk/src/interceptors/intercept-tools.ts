/**
 * Tool handlers under the rules of a run: the faults of a tool, inside the server that has it. A call that no rule looks at
 * is the handler's own, with its very arguments and its very result.
 */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { frameFromMessage } from '../core/frame.js';
import type { Exchange } from '../core/session.js';
import { createToolEnds, whyNotInHandler, type ToolCall } from './tool-ends.js';
import { patchProperty } from '../core/patch-property.js';

/** How handlers are intercepted. */
export type InterceptToolsOptions = {
  /** Name of the server, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of the session in draws and journal; by default the target. */
  readonly label?: string | undefined;
};

/** A function that handles calls of a tool, of any shape. Its own types are kept. */
export type ToolHandler = (...given: never[]) => unknown;

/** Handlers under the rules of a run. */
export type InterceptedTools = {
  /** The same handler, for one tool: the arguments come first. */
  wrap<Handler extends ToolHandler>(
    tool: string,
    handler: Handler,
  ): (...given: Parameters<Handler>) => Promise<Awaited<ReturnType<Handler>>>;
  /** The same as middleware, for servers that have their own idea of handlers. */
  middleware<Args, Result>(tool: string, args: Args, next: (tool: string, args: Args) => Result): Promise<Awaited<Result>>;
  /** What is held goes on; afterwards every handler is the plain one. */
  readonly restore: Cancel;
};

type PlainHandler = (...given: unknown[]) => unknown;
type AttachedTools = InterceptedTools & {
  wrapAny(tool: string, plain: PlainHandler, hasArguments: (given: readonly unknown[]) => boolean): PlainHandler;
};

/** Intercepts tool handlers, one by one. */
export function interceptTools(run: Run, options: InterceptToolsOptions = {}): InterceptedTools {
  const { wrap, middleware, restore } = attachTools(run, options, () => {});
  return { wrap, middleware, restore };
}

/** What is asked of an `McpServer`, of either generation. */
export type ToolServer = { registerTool: unknown; tool?: unknown };

/** Intercepts every tool that is registered with a server from now on. Returns its undo. */
export function interceptServer(run: Run, server: ToolServer, options: InterceptToolsOptions = {}): Cancel {
  const undos: Cancel[] = [];
  const tools = attachTools(run, options, () => {
    for (const undo of undos) undo();
  });
  for (const key of ['registerTool', 'tool'] as const) {
    const plain = server[key];
    if (typeof plain !== 'function') continue;
    const register = function (this: unknown, name: string, ...rest: unknown[]): unknown {
      const handler = rest.at(-1);
      if (typeof handler !== 'function') return Reflect.apply(plain, this, [name, ...rest]);
      // Without a schema for its input, a handler is given the context alone.
      const wrapped = tools.wrapAny(name, handler as PlainHandler, (given) => given.length > 1);
      return Reflect.apply(plain, this, [name, ...rest.slice(0, -1), wrapped]);
    };
    undos.push(patchProperty(server, key, register));
  }
  return tools.restore;
}

function attachTools(run: Run, { target, label }: InterceptToolsOptions, restore: Cancel): AttachedTools {
  const ends = createToolEnds({
    clock: run.clock,
    isFree: (exchange, answer) => performer.answer(exchange, answer).effects === undefined,
  });
  const attachment = run.attach({ transport: 'in-process', target, label, ends, whyNot: whyNotInHandler, thaw: ends.thaw, restore });
  const { performer } = attachment;
  const session = attachment.begin();
  let calls = 0;

  const perform = (tool: string, args: unknown, signal: AbortSignal | undefined, handle: ToolCall['run']): unknown => {
    if (!attachment.isActive) return handle(undefined);
    const message = { jsonrpc: '2.0', id: ++calls, method: 'tools/call', params: { name: tool, arguments: args } };
    const request = frameFromMessage('to-server', message);
    let settle!: { resolve: (result: unknown) => void; reject: (error: unknown) => void };
    const promise = new Promise<unknown>((resolve, reject) => (settle = { resolve, reject }));
    const known: { exchange: Exchange | undefined } = { exchange: undefined };
    const onAbort = (): void => {
      if (known.exchange !== undefined) {
        // Whoever called hears nothing any more.
        performer.drop(known.exchange);
        performer.cancel(known.exchange);
      }
      call.reject(signal?.reason);
    };
    const done = (): void => {
      call.isSettled = true;
      signal?.removeEventListener('abort', onAbort);
    };
    const call: ToolCall = {
      request,
      run: handle,
      isSettled: false,
      resolve(result) {
        done();
        settle.resolve(result);
      },
      reject(error) {
        done();
        settle.reject(error);
      },
    };
    const decision = performer.request(session, request, { handle: call });
    const { exchange } = decision;
    known.exchange = exchange;
    if (exchange === undefined) return handle(undefined);
    const isTaken = decision.effects !== undefined;
    // A handler of its own is run with a signal that aborted, too: what it makes of that is its own.
    if (isTaken && signal?.aborted === true) onAbort();
    else if (!call.isSettled) signal?.addEventListener('abort', onAbort, { once: true });
    if (!isTaken) ends.send(request, exchange);
    return promise;
  };

  const wrapAny: AttachedTools['wrapAny'] =
    (tool, plain, hasArguments) =>
    async (...given) => {
      const args = hasArguments(given) ? given[0] : {};
      return perform(tool, args, signalOf(given.at(-1)), (changed) =>
        changed === undefined || !hasArguments(given) ? plain(...given) : plain(changed.value, ...given.slice(1)),
      );
    };

  return {
    wrapAny,
    // Whatever its types are, it is called with what it was given, and its own result is returned.
    wrap: (tool, handler) => wrapAny(tool, handler as unknown as PlainHandler, () => true) as never,
    async middleware(tool, args, next) {
      const handle: ToolCall['run'] = (changed) => next(tool, changed === undefined ? args : (changed.value as typeof args));
      return (await perform(tool, args, undefined, handle)) as never;
    },
    restore: attachment.detach,
  };
}

/** What a server's context calls the signal of its caller: `signal` in the first generation, `mcpReq.signal` in the second. */
function signalOf(context: unknown): AbortSignal | undefined {
  const { signal, mcpReq } = (context ?? {}) as { signal?: unknown; mcpReq?: { signal?: unknown } };
  const given = signal ?? mcpReq?.signal;
  return given instanceof AbortSignal ? given : undefined;
}
