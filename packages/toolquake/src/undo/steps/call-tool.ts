import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { isReachedFromAnywhere } from '../../core/this-machine.js';
import { defineUndo } from '../../core/undo-step.js';
import { callTools } from '../../targets/call-once.js';
import type { TargetDefinition } from '../../targets/target.js';
import { readCheck, readNow, sameValue, type ToolCheck } from '../tool-check.js';

/** Takes back by a tool what a tool has done. It looks before it calls: a switch that is pressed twice is on again. */
export const callTool = defineUndo({
  kind: 'call-tool',
  summary: 'Calls a tool of the target that takes back what another call has done.',
  isReachable: ({ target }) => isObject(target) && target['kind'] === 'url' && isReachedFromAnywhere(target['url']),
  async undo(data, world) {
    const { target, tool, arguments: given, check, before } = readCall(data);
    if (sameValue(await readNow(target, check, world), before)) return;
    const [outcome] = await callTools(target, [{ tool, arguments: given }], world);
    if (outcome?.kind === 'result' && outcome.result['isError'] !== true) return;
    throw new ToolquakeError('UPSTREAM_UNREACHABLE', { message: `The tool "${tool}" did not take it back: it answered with an error.` });
  },
  async verify(data, world) {
    const { target, check, before } = readCall(data);
    try {
      const now = await readNow(target, check, world);
      const place = `${check.path} of ${check.tool}`;
      if (sameValue(now, before)) return { is: 'undone', proof: `${place} is as before` };
      return { is: 'not-undone', why: `${place} is not what it was before` };
    } catch (error) {
      // A server that does not answer may come back as it was left.
      return { is: 'not-undone', why: error instanceof Error ? error.message : String(error) };
    }
  },
});

type UndoCall = {
  readonly target: TargetDefinition;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly check: ToolCheck;
  readonly before: unknown;
};

function readCall(data: JsonObject): UndoCall {
  const { target, tool, arguments: given, before } = data;
  if (isObject(target) && typeof tool === 'string' && isObject(given)) {
    // Written into the ledger by our own action, out of a target that was checked.
    return { target: target as unknown as TargetDefinition, tool, arguments: given, check: readCheck(data['check']), before };
  }
  throw new ToolquakeError('WRONG_TYPE', { message: 'A step "call-tool" needs target, tool, arguments and check.' });
}
