/** Blocking and slowing without rights on the network: rules in a "toolquake proxy tcp" that the server goes through. */
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { EffectProof, Feasibility, PreparedStep } from '../core/prepared-action.js';
import { isAdminUrl } from '../proxies/ask-admin.js';
import { askPlace } from '../undo/admin-of.js';
import type { ActionWorld } from './action.js';
import type { DependencyParams } from './dependency-params.js';

/** Where nobody says how long our rules may live. They end by themselves, should everything that could undo them be gone. */
const DEFAULT_LASTS_MS = 2 * 60 * 60_000;

type RelayWorld = Pick<ActionWorld, 'env' | 'signal'>;

/** One rule: what its id ends in, and the rule. */
export type RelayRule = { readonly word: string; readonly rule: JsonObject };

/** Does the proxy answer, and may rules be injected into it? */
export async function relayFeasibility(params: DependencyParams, world: RelayWorld): Promise<Feasibility> {
  try {
    const status = await ask(params, world, 'GET /chaos/status');
    if (status['killed'] !== true) return { isFeasible: true, how: `rules in the proxy at ${params.admin}` };
    return { isFeasible: false, why: `The proxy at ${params.admin} was killed: it injects nothing.`, act: 'Run "toolquake revive".' };
  } catch (error) {
    const act = 'Start "toolquake proxy tcp --upstream HOST:PORT --port PORT --admin-port PORT", and let the server go through it.';
    return {
      isFeasible: false,
      why: error instanceof Error ? error.message : String(error),
      act: error instanceof ToolquakeError ? (error.advice ?? act) : act,
    };
  }
}

/** The step that injects the rules, whose ids are known before. */
export function relayStep(
  name: string,
  chain: string,
  rules: readonly RelayRule[],
  params: DependencyParams,
  world: RelayWorld & Pick<ActionWorld, 'lastsMs'>,
): PreparedStep {
  const idOf = ({ word }: RelayRule): string => `${chain}-${word}`;
  const { admin = '', tokenVariable } = params;
  const durationMs = Math.ceil(world.lastsMs ?? DEFAULT_LASTS_MS);
  return {
    name,
    undo: { kind: 'clear-rules', data: { adminUrl: admin, tokenVariable, rules: rules.map(idOf) } },
    async apply() {
      for (const one of rules) {
        await ask(params, world, 'POST /chaos/inject', { ...one.rule, id: idOf(one), durationMs });
      }
    },
  };
}

/** Are the rules at work there? */
export async function relayHas(chain: string, params: DependencyParams, world: RelayWorld): Promise<EffectProof> {
  const status = await ask(params, world, 'GET /chaos/status');
  const listed: readonly unknown[] = Array.isArray(status['faults']) ? status['faults'] : [];
  const ids = listed.flatMap((fault) => (isObject(fault) && String(fault['id']).startsWith(`${chain}-`) ? [String(fault['id'])] : []));
  return { isInEffect: ids.length > 0, proof: ids.length > 0 ? `the proxy has ${ids.join(', ')}` : 'the proxy has none of our rules' };
}

async function ask(
  { admin = '', tokenVariable }: DependencyParams,
  world: RelayWorld,
  route: 'GET /chaos/status' | 'POST /chaos/inject',
  body?: JsonObject,
): Promise<JsonObject> {
  if (!isAdminUrl(admin))
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'params.admin must be the address that a proxy printed for its admin port.',
      advice: 'For example http://127.0.0.1:9901. Other machines are reached by https only, because the token is sent along.',
    });
  return askPlace({ adminUrl: admin, tokenVariable }, world, route, body);
}
