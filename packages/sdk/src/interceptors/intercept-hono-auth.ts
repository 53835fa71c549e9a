/** The auth gate as middleware of Hono, on every runtime that Hono runs on. */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import type { Frame } from '../core/frame.js';
import { bodyFrame, readRequestBody } from './auth-body.js';
import { createAuthGate, type InterceptAuthOptions } from './auth-gate.js';
import { toResponse } from './http-answer.js';
import { askFor, nobodyReads } from './intercept-auth.js';
import { breakConnection, type BreakableSocket } from './node-http.js';

/** What is used of Hono's context. `incoming` is there on Node (`@hono/node-server`). */
export type HonoContext = {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  readonly env: unknown;
};

/** Middleware, and its undo. */
export type InterceptedHonoAuth = {
  handle(context: HonoContext, next: () => Promise<void>): Promise<Response | undefined>;
  readonly restore: Cancel;
};

/** `isOnNode`: the app is served by `@hono/node-server`, where connections can be broken. */
export type InterceptHonoAuthOptions = InterceptAuthOptions & { readonly isOnNode?: boolean | undefined };

/** Stands before what is mounted after it: `app.use(interceptHonoAuth(run, { target }).handle)`. */
export function interceptHonoAuth(run: Run, { isOnNode = false, ...options }: InterceptHonoAuthOptions = {}): InterceptedHonoAuth {
  const gate = createAuthGate(run, { ...options, canHangUp: isOnNode });
  return {
    async handle(context, next) {
      const goOn = async (): Promise<undefined> => {
        await next();
        return undefined;
      };
      if (!gate.isActive) return goOn();
      const { raw } = context.req;
      const verdict = await askFor(gate, raw, (request, maxBytes) => readBody(context, request, maxBytes));
      switch (verdict.kind) {
        case 'pass':
          return goOn();
        case 'answer':
          return toResponse(verdict.answer);
        case 'cut': {
          const socket = socketOf(context.env);
          if (socket === undefined) return nobodyReads();
          breakConnection(socket, verdict.how);
          // How @hono/node-server is told that there is nothing left to send.
          return new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
        }
        default:
          return nobodyReads();
      }
    },
    restore: gate.restore,
  };
}

/** Middleware before this one may have read the body; Hono then keeps it for whoever asks again. */
async function readBody({ req }: HonoContext, request: Request, maxBytes: number): Promise<Frame | undefined> {
  if (!request.bodyUsed) return readRequestBody(request, maxBytes);
  const bytes = new Uint8Array(await req.arrayBuffer());
  return bodyFrame(bytes.subarray(0, maxBytes), bytes.length <= maxBytes);
}

function socketOf(env: unknown): BreakableSocket | undefined {
  return (env as { incoming?: { socket?: BreakableSocket } } | undefined)?.incoming?.socket;
}
