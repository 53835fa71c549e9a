/** A simulated MCP server: it does every call it hears of, after a fixed time, and remembers what it did. */
import { frameFromMessage, frameHead, type Exchange, type Frame, type JsonHead, type JsonObject } from '@toolquake/sdk/core';
import type { FarEnd } from './link.js';
import { JSON_READING } from './reading.js';
import type { VirtualClock } from './virtual-clock.js';

/** The tools of the headline workload: what an agent looks at during an incident. */
export const HEADLINE_TOOLS: readonly string[] = ['get_metrics', 'get_logs', 'get_traces', 'describe_service', 'check_dependency'];

/** What a simulated server is. */
export type SimulatedServerOptions = {
  readonly clock: VirtualClock;
  readonly tools: readonly string[];
  /** From hearing a request to its answer. */
  readonly serviceMs: number;
  /** Where answers go. */
  readonly answer: (frame: Frame, exchange: Exchange | undefined) => void;
};

/** See the module comment. */
export type SimulatedServer = FarEnd & {
  /** Tool calls that it has done. */
  executed(): number;
};

const JSON_RPC = '2.0';

/** Starts a server. */
export function createSimulatedServer({ clock, tools, serviceMs, answer }: SimulatedServerOptions): SimulatedServer {
  const contents = new Map(tools.map((tool) => [tool, [{ type: 'text', text: `${tool}: nothing unusual` }]]));
  let executed = 0;
  let frozenUntilMs = 0;

  const resultOf = ({ method, tool = '' }: JsonHead): JsonObject => {
    if (method !== 'tools/call') return method === 'tools/list' ? listOf(tools) : {};
    const content = contents.get(tool);
    if (content === undefined) return { content: [{ type: 'text', text: `Unknown tool: ${tool}` }], isError: true };
    executed++;
    // Every reading is another one, so that a stale or crossed answer can be told from the right one.
    return { content, structuredContent: { tool, reading: executed } };
  };

  return {
    receive(frame, exchange) {
      const request = frameHead(frame);
      const { id } = request;
      // Garbage and notifications get no answer.
      if (request.kind !== 'request' || id === undefined) return;
      const waitMs = frozenUntilMs === 0 ? serviceMs : Math.max(0, frozenUntilMs - clock.nowMs()) + serviceMs;
      const result = resultOf(request);
      const head = { kind: 'response', id, method: undefined, tool: undefined, isComplete: true } as const;
      clock.deliver(waitMs, answer, frameFromMessage('to-client', { jsonrpc: JSON_RPC, id, result }, head), exchange);
    },
    freeze(forMs) {
      frozenUntilMs = Math.max(frozenUntilMs, clock.nowMs() + forMs);
    },
    executed: () => executed,
  };
}

function listOf(tools: readonly string[]): JsonObject {
  return {
    tools: tools.map((name) => ({ name, inputSchema: { type: 'object' }, outputSchema: JSON_READING.plain })),
  };
}
