/** The stage in this very process: a pair of linked transports of the SDK, one of them intercepted. */
import { setTimeout } from 'node:timers/promises';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { startPlan } from '@toolquake/sdk/controller';
import type { Era, JsonObject } from '@toolquake/sdk/core';
import { interceptTransport } from '@toolquake/sdk/interceptors';
import { createTools } from './servers/tools.mjs';
import { inEra, introduce, type Seen, type Stage } from './stage.js';

/** Puts it up. */
export async function inProcessStage(plan: JsonObject, era: Era, eventually: (why: () => string) => Stage['until']): Promise<Stage> {
  const run = startPlan(plan, { isAllowed: () => true, observesAll: true });
  const seen: Seen[] = [];
  const served: JsonObject[] = [];
  const tools = createTools();
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const { transport } = interceptTransport(run, mine);
  let isLeaving = false;
  theirs.onmessage = (message) => {
    served.push(message);
    for (const answer of tools.answersTo(message)) void theirs.send(answer as JSONRPCMessage);
  };
  transport.onmessage = (message: unknown) =>
    void seen.push(Array.isArray(message) ? { what: 'garbage' } : { what: 'message', message: message as JsonObject });
  transport.onclose = () => void (isLeaving ? undefined : seen.push({ what: 'broken', id: undefined }));
  transport.onerror = () => void seen.push({ what: 'garbage' });
  await theirs.start();
  await transport.start();
  const send = (message: JsonObject): void => void transport.send(inEra(era, message) as JSONRPCMessage).catch(() => {});
  const until = eventually(() => JSON.stringify({ seen, served, journal: run.journal }, undefined, 1));
  return {
    name: 'in-process',
    hello: () => introduce(era, { send, until, seen }),
    send,
    seen,
    served,
    journal: () => run.journal,
    nowMs: () => performance.now(),
    pass: setTimeout,
    until,
    async leave() {
      isLeaving = true;
      await transport.close();
      run.stop();
    },
  };
}
