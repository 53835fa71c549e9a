import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { defineUndo, type UndoWorld } from '../../core/undo-step.js';
import { askAdminObject, isAdminUrl, isNobodyThere } from '../../proxies/ask-admin.js';

/** Rules with ids of ours in a running proxy. One that is not running any more has forgotten them. */
export const relayAdmin = defineUndo({
  kind: 'relay-admin',
  summary: 'Clears the rules that the run injected into a running proxy.',
  async undo(data, world) {
    const { ids, ...question } = questionOf(data, world);
    try {
      for (const faultId of ids) await askAdminObject({ ...question, route: 'POST /chaos/clear', body: { faultId } });
    } catch (error) {
      if (!isNobodyThere(error)) throw error;
    }
  },
  async verify(data, world) {
    const { ids, ...question } = questionOf(data, world);
    try {
      const status = await askAdminObject({ ...question, route: 'GET /chaos/status' });
      const listed: readonly unknown[] = Array.isArray(status['faults']) ? status['faults'] : [];
      const left = listed.flatMap((fault) => (isObject(fault) ? ids.filter((id) => id === fault['id']) : []));
      if (left.length > 0) return { is: 'not-undone', why: `The proxy at ${question.url} still has ${left.join(', ')}.` };
      return { is: 'undone', proof: `the proxy at ${question.url} has none of ${ids.join(', ')}` };
    } catch (error) {
      if (isNobodyThere(error)) return { is: 'gone', proof: `no proxy runs at ${question.url} any more` };
      return { is: 'not-undone', why: error instanceof Error ? error.message : String(error) };
    }
  },
});

const ID = /^TQ-[0-9a-f]{8}-[0-9a-f]{4}-[a-z]{1,16}$/;

function questionOf(
  { admin, tokenVariable, ids }: JsonObject,
  { env, signal }: UndoWorld,
): { readonly url: string; readonly token: string; readonly signal: AbortSignal; readonly ids: readonly string[] } {
  const given: readonly unknown[] = Array.isArray(ids) ? ids : [];
  const own = given.filter((id): id is string => typeof id === 'string' && ID.test(id));
  const isOurs = typeof admin === 'string' && isAdminUrl(admin) && own.length > 0 && own.length === given.length;
  if (!isOurs || typeof tokenVariable !== 'string' || !/^(?:[A-Z][A-Z0-9_]{0,57}_)?TOKEN$/.test(tokenVariable))
    throw new Error('The undo data is none that we write for a relay.');
  const token = env[tokenVariable];
  if (token === undefined || token === '') throw new Error(`${tokenVariable} is not set, and the proxy asks for it.`);
  return { url: admin, token, signal, ids: own };
}
