/** Keys that may change while a simulation runs, as paths: `servers.payment.pool`. */
import { nearestWord } from '@toolquake/sdk/core';
import { AGENT_FIELDS, GATEWAY_FIELDS, SERVER_FIELDS, type Field, type Fields } from './topology-fields.js';

/** What a path leads to. */
export type LiveKey =
  | { readonly part: 'servers' | 'agents'; readonly name: string; readonly key: string; readonly field: Field }
  | { readonly part: 'gateway'; readonly name: undefined; readonly key: string; readonly field: Field };

/** Who is there, by part. */
export type Inhabitants = { readonly servers: readonly string[]; readonly agents: readonly string[]; readonly hasGateway: boolean };

const liveNames = (table: Fields): readonly string[] => Object.keys(table).filter((name) => table[name]?.isLive === true);

/** Every live path of a topology. */
function livePaths({ servers, agents, hasGateway }: Inhabitants): readonly string[] {
  return [
    ...servers.flatMap((name) => liveNames(SERVER_FIELDS).map((key) => `servers.${name}.${key}`)),
    ...agents.flatMap((name) => liveNames(AGENT_FIELDS).map((key) => `agents.${name}.${key}`)),
    ...(hasGateway ? liveNames(GATEWAY_FIELDS).map((key) => `gateway.${key}`) : []),
  ];
}

/** The key of a path; or what to say about a path that leads nowhere. */
export function findLiveKey(path: string, inhabitants: Inhabitants): LiveKey | { readonly advice: string } {
  const paths = livePaths(inhabitants);
  if (!paths.includes(path)) {
    const nearest = nearestWord(path, paths);
    return { advice: nearest === undefined ? `What can change: ${paths.join(', ')}.` : `Did you mean "${nearest}"?` };
  }
  const steps = path.split('.');
  const key = steps.at(-1)!;
  if (steps[0] === 'gateway') return { part: 'gateway', name: undefined, key, field: (GATEWAY_FIELDS as Fields)[key]! };
  const part = steps[0] as 'servers' | 'agents';
  const table: Fields = part === 'servers' ? SERVER_FIELDS : AGENT_FIELDS;
  return { part, name: steps.slice(1, -1).join('.'), key, field: table[key]! };
}
