/** A server that fixtures are recorded from or verified against: one connection, one list of tools. */
import { isObject, nameOfTool, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { TargetFailure, type Connection } from '../core/connection.js';
import type { Canary } from '../core/expectation.js';
import { measureCanary, type CanaryMeasurement } from '../probes/canary-call.js';
import { measureToolList } from '../probes/tool-list.js';
import { redactText } from '../recordings/redact.js';
import { openConnection } from '../targets/open-connection.js';
import type { ProbeWorld } from '../targets/probe-target.js';

/** An open server. */
export type GoldenSession = {
  /** Name and version. */
  readonly server: string;
  toolOf(canary: Canary): JsonObject | undefined;
  /** Why a call is refused by policy, or because there is nothing to call; undefined when it may be made. */
  refusalOf(canary: Canary): string | undefined;
  /** Rejects with a `TargetFailure`. */
  measure(canary: Canary): Promise<CanaryMeasurement>;
};

/** Connects, lists, works, closes. A server that cannot be reached is an error here: nothing can be said about its answers. */
export async function withGoldenSession<Result>(
  { target }: ConfiguredTarget,
  world: ProbeWorld,
  work: (session: GoldenSession) => Promise<Result>,
): Promise<Result> {
  const { connection, tools } = await open(target, world);
  try {
    return await work(sessionOf(connection, tools, world));
  } finally {
    await connection.close();
  }
}

async function open(
  target: ConfiguredTarget['target'],
  world: ProbeWorld,
): Promise<{ readonly connection: Connection; readonly tools: readonly JsonObject[] }> {
  let connection: Connection | undefined;
  try {
    connection = await openConnection(target, world);
    const tools = isObject(connection.capabilities['tools']) ? (await measureToolList(connection)).tools : [];
    return { connection, tools };
  } catch (error) {
    await connection?.close();
    if (!(error instanceof TargetFailure)) throw error;
    throw new ToolquakeError(error.reason === 'probe_config_error' ? 'BAD_ARGUMENT' : 'UPSTREAM_UNREACHABLE', {
      message: `${target.name} cannot be asked: ${redactText(error.message)}.`,
      advice: error.advice,
      cause: error,
    });
  }
}

function sessionOf(connection: Connection, tools: readonly JsonObject[], { clock }: ProbeWorld): GoldenSession {
  const { serverInfo } = connection;
  const words = [serverInfo['name'], serverInfo['version']].filter((word): word is string => typeof word === 'string');
  const toolOf = (canary: Canary): JsonObject | undefined =>
    (canary.asks ?? 'tool') === 'tool' ? tools.find((tool) => nameOfTool(tool) === canary.tool) : undefined;
  return {
    server: redactText(words.join(' ').replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')).slice(0, 100),
    toolOf,
    refusalOf(canary) {
      if ((canary.asks ?? 'tool') !== 'tool') return undefined;
      const tool = toolOf(canary);
      if (tool === undefined) return `the server lists no tool "${canary.tool}"`;
      const { annotations } = tool;
      if (canary.mayWrite || (isObject(annotations) && annotations['readOnlyHint'] === true)) return undefined;
      return `"${canary.tool}" does not say that it only reads (readOnlyHint), so it is not called`;
    },
    measure: (canary) => measureCanary(connection, canary, clock),
  };
}
