/** Where a wire ends in a simulated system: requests become calls of a cluster, through the gateway where there is one. */
import {
  frameFromMessage,
  frameHead,
  isObject,
  rpcError,
  type Exchange,
  type Frame,
  type JsonObject,
  type MessageId,
} from '@toolquake/sdk/core';
import { startCall, type Call, type Reply } from './call.js';
import type { Cluster } from './cluster.js';
import type { Gateway } from './gateway.js';
import type { FarEnd, WayBack } from './link.js';
import type { VirtualClock } from './virtual-clock.js';

/** What the end of a wire is connected to. */
export type FarEndOptions = {
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  readonly gateway: Gateway | undefined;
  readonly back: WayBack;
  /** From one end of the wire to the other and back. */
  readonly roundTripMs: number;
  /** Does anybody make use of it when a caller hangs up? Keeping track of open calls has its price. */
  readonly noticesAbandoned: boolean;
  /** Tools that exist somewhere; calls of others are answered as a server would. */
  readonly isKnown: (tool: string) => boolean;
};

/** Connects a wire. */
export function createFarEnd(options: FarEndOptions): FarEnd {
  const { clock, cluster, gateway, back, roundTripMs, noticesAbandoned } = options;
  const open = new Map<MessageId, Call>();

  const onReply = (call: Call, reply: Reply): void => {
    const { id } = frameHead(call.frame!);
    if (noticesAbandoned) open.delete(id!);
    deliverLater(call, reply);
  };

  const deliver = ({ frame, exchange }: Call, reply: Reply): void => {
    const id = frameHead(frame!).id!;
    if (reply.kind === 'lost') back.lose(id, exchange);
    else if (reply.kind === 'error') back.answer(frameFromMessage('to-client', rpcError(id, reply.code, reply.message)), exchange);
    else answer(id, reply.result, exchange);
  };

  const deliverLater = clock.lane(roundTripMs, deliver);

  const answer = (id: MessageId, result: JsonObject, exchange: Exchange | undefined): void => {
    const head = { kind: 'response', id, method: undefined, tool: undefined, isComplete: true } as const;
    back.answer(frameFromMessage('to-client', { jsonrpc: '2.0', id, result }, head), exchange);
  };

  const answerLater = (frame: Frame, exchange: Exchange | undefined, result: JsonObject): void =>
    clock.enqueue(roundTripMs, () => answer(frameHead(frame).id!, result, exchange));

  return {
    receive(frame, exchange) {
      const { kind, id, method, tool = '' } = frameHead(frame);
      // Garbage and notifications get no answer.
      if (kind !== 'request' || id === undefined) return;
      if (method !== 'tools/call') return answerLater(frame, exchange, method === 'tools/list' ? cluster.listing() : {});
      if (!options.isKnown(tool)) {
        return answerLater(frame, exchange, { content: [{ type: 'text', text: `Unknown tool: ${tool}` }], isError: true });
      }
      const call = startCall({ tool, operation: operationOf(frame), frame, exchange, onReply, outer: undefined });
      if (noticesAbandoned) open.set(id, call);
      if (gateway === undefined) cluster.receive(call);
      else gateway.receive(call, cluster);
    },
    abandon(id) {
      const call = open.get(id);
      if (call === undefined) return;
      open.delete(id);
      if (gateway === undefined) call.isAbandoned = true;
      else gateway.abandon(call, cluster);
    },
    freeze: (forMs) => cluster.freeze(forMs),
    crash: (forMs) => cluster.crash(forMs),
  };
}

/** The key of the operation, in the arguments of tools that change something. */
function operationOf(frame: Frame): string | undefined {
  const params = (frame.message as JsonObject)['params'];
  const given = isObject(params) ? params['arguments'] : undefined;
  const operation = isObject(given) ? given['operation'] : undefined;
  return typeof operation === 'string' ? operation : undefined;
}
