/** Asks as somebody without a credential. */
import { isObject } from '@toolquake/sdk/core';
import { rpcFailure, TargetFailure, type FailureFacts } from '../core/connection.js';
import { judgeAuth } from '../gates/smoke/judge-auth.js';
import { skipped } from '../gates/smoke/outcome.js';
import type { SmokeOutcome } from '../gates/smoke/smoke-report.js';
import { openConnection } from '../targets/open-connection.js';
import type { TargetDefinition, UrlTarget } from '../targets/target.js';
import type { SmokePlan, SmokeWorld } from './smoke-plan.js';

/** Skipped where the target has no credential to leave out, unless one is demanded. */
export async function checkAuth({ requireAuth }: SmokePlan, target: TargetDefinition, world: SmokeWorld): Promise<SmokeOutcome> {
  if (target.kind === 'command') return skipped('a server on stdio has no credential to ask for');
  const stranger = withoutCredential(target);
  if (stranger === undefined && !requireAuth)
    return skipped('the target has no credential; --require-auth demands that strangers are refused');
  const answered: string[] = [];
  const refusal = await refusalOf(stranger ?? target, answered, world);
  return judgeAuth({ answered, refusal });
}

async function refusalOf(target: UrlTarget, answered: string[], world: SmokeWorld): Promise<FailureFacts | undefined> {
  try {
    const connection = await openConnection(target, world);
    try {
      answered.push('hello');
      // Asked where the hello was open: what a stranger must not see begins with the list.
      const outcome = await connection.request('tools/list', {}, { signal: world.signal });
      if (outcome.kind === 'error') throw rpcFailure('list', outcome.error, 'tools/list');
      answered.push(
        `tools/list${isObject(outcome.result) && Array.isArray(outcome.result['tools']) ? ` (${outcome.result['tools'].length} tools)` : ''}`,
      );
      return undefined;
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof TargetFailure) return error.facts;
    throw error;
  }
}

/** Names of headers that let people in; besides them, whatever is read from the environment counts as a secret. */
const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie|(?:x-)?api-?key|x-auth-token)$/i;

/** The target as a stranger knows it; undefined when there is nothing to leave out. */
function withoutCredential({ auth, headers = {}, ...rest }: UrlTarget): UrlTarget | undefined {
  const open = Object.entries(headers).filter(([name, text]) => !SECRET_HEADER.test(name) && !text.includes('${'));
  if (auth === undefined && open.length === Object.keys(headers).length) return undefined;
  return { ...rest, headers: Object.fromEntries(open) };
}
