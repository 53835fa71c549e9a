import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { isNobodyThere } from '../../proxies/ask-admin.js';
import { askPlace, readAdminPlace } from '../admin-of.js';
import { isReachedFromAnywhere } from '../../core/this-machine.js';
import { defineUndo } from '../../core/undo-step.js';

/** Takes rules out of a running proxy or process. Rules live in memory: where nobody listens any more, they are gone. */
export const clearRules = defineUndo({
  kind: 'clear-rules',
  summary: 'Takes injected rules out of a running proxy or process, by their ids.',
  isReachable: ({ adminUrl }) => adminUrl === null || isReachedFromAnywhere(adminUrl),
  async undo(data, world) {
    if (hadNoPlace(data)) return;
    const place = readAdminPlace(data);
    try {
      for (const faultId of ruleIds(data)) await askPlace(place, world, 'POST /chaos/clear', { faultId });
    } catch (error) {
      if (!isNobodyThere(error)) throw error;
    }
  },
  async verify(data, world) {
    if (hadNoPlace(data)) return { is: 'gone', proof: 'there was no proxy to inject anything into' };
    const place = readAdminPlace(data);
    const ids = ruleIds(data);
    try {
      const { faults } = await askPlace(place, world, 'GET /chaos/status');
      const listed = Array.isArray(faults) ? faults.filter(isObject).map(({ id }) => id) : undefined;
      if (listed === undefined) return { is: 'not-undone', why: `the status at ${place.adminUrl} lists no faults` };
      const left = ids.filter((id) => listed.includes(id));
      if (left.length > 0)
        return { is: 'not-undone', why: `${left.join(', ')} still ${left.length === 1 ? 'is' : 'are'} active at ${place.adminUrl}` };
      return {
        is: 'undone',
        proof: `the status at ${place.adminUrl} lists ${ids.length === 1 ? 'the rule no more' : 'none of the rules any more'}`,
      };
    } catch (error) {
      if (isNobodyThere(error))
        return { is: 'gone', proof: `nobody listens at ${place.adminUrl} any more, and its rules were in memory only` };
      return { is: 'not-undone', why: error instanceof Error ? error.message : String(error) };
    }
  },
});

/** A run without a proxy fails as it injects, and so changed nothing. */
const hadNoPlace = ({ adminUrl }: JsonObject): boolean => adminUrl === null;

function ruleIds({ rules }: JsonObject): readonly string[] {
  if (Array.isArray(rules) && rules.length > 0 && rules.every((id) => typeof id === 'string')) return rules;
  throw new ToolquakeError('WRONG_TYPE', { message: 'A step "clear-rules" needs the ids of its rules.' });
}
