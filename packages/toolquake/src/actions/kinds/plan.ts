import { isObject, ToolquakeError, type JsonObject, type TransportName } from '@toolquake/sdk/core';
import { askPlace, readAdminPlace, type AdminPlace } from '../../undo/admin-of.js';
import { defineAction, type FeasibilityWorld } from '../action.js';
import { planOf, settledPlan } from '../plan-of.js';
import { scaledRules } from '../scaled-rules.js';

/** Where nobody says how long a rule may live: as long as one that a person injects. */
const DEFAULT_LASTS_MS = 15 * 60_000;

const COUNT_EVERY_MS = 500;

const WITHOUT_PLACE = 'Add "front: {}" to the experiment, or name adminUrl and tokenVariable.';

const TRANSPORTS = ['http', 'stdio', 'tcp', 'in-process'] as const satisfies readonly TransportName[];

/** Injects the rules of a plan for a while. They end by themselves, and are cleared by their ids. */
export const plan = defineAction({
  type: 'plan',
  summary: 'Injects the rules of a fault plan into the proxy of the run, or into a running proxy or process.',
  blast: 'calls',
  params: {
    plan: { kind: 'value', about: 'The rules, as a plan file has them.' },
    file: { kind: 'text', about: 'A plan file in the native format, instead; from the experiment file.' },
    where: {
      kind: 'word',
      words: ['front', 'admin'],
      about: 'The proxy of the run (the default), or the admin routes of something that runs.',
    },
    adminUrl: {
      kind: 'text',
      pattern: /^https?:\/\/[^\s@]+$/,
      likeThis: 'http://127.0.0.1:9901',
      about: 'The admin routes, for "where: admin".',
    },
    tokenVariable: {
      kind: 'text',
      pattern: /^[A-Za-z_]\w*$/,
      likeThis: 'CHAOS_ADMIN_TOKEN',
      about: 'The variable that holds their token.',
    },
    transport: { kind: 'word', words: TRANSPORTS, about: 'What the rules act on there; "http" unless told otherwise.' },
    share: { kind: 'number', about: 'The share of the dose as written, above 0 and up to 1. Set by the ladder.' },
  },
  worstCase: 'The share of calls that the rules say fails or is slow, until the rules end by themselves.',
  trips: [],
  about: (params) => {
    const share = shareOf(params);
    const where = typeof params['adminUrl'] === 'string' ? ` at ${params['adminUrl']}` : '';
    return `${ruleNames(params)}${where}${share === 1 ? '' : `, at ${percent(share)} of the dose`}`;
  },
  settle: (params, folder) => settledPlan(params, transportOf(params), folder),
  scale: (params, share) => ({ ...params, share: shareOf(params) * share }),

  async feasibility(params, world) {
    await planOf(params, transportOf(params));
    const place = placeOf(params, world);
    if (typeof place === 'string') return { isFeasible: false, why: place, act: WITHOUT_PLACE };
    // The proxy of the run need not be there yet when a file is only checked.
    if (place === undefined) return { isFeasible: true, how: 'through the proxy of the run' };
    try {
      await askPlace(place, world, 'GET /chaos/status');
    } catch (error) {
      return {
        isFeasible: false,
        why: error instanceof Error ? error.message : String(error),
        act: `Start it with an admin port, and set ${place.tokenVariable}.`,
      };
    }
    return { isFeasible: true, how: `through the admin routes at ${place.adminUrl}` };
  },

  async prepare(params, world) {
    const { plan: checked, rules: written } = await planOf(params, transportOf(params));
    const place = placeOf(params, world);
    if (typeof place === 'string') throw nowhere(place);
    const share = shareOf(params);
    const rules = scaledRules(written, checked, share);
    const ids = rules.map(({ id }) => String(id));
    if (place !== undefined) await refuseTaken(place, ids, world);
    const durationMs = Math.ceil(world.lastsMs ?? DEFAULT_LASTS_MS);
    const isElsewhere = place !== undefined && place.adminUrl !== world.front?.adminUrl;
    let stopCounting = (): void => {};
    let [isCounting, isReleased] = [false, false];
    const tell = (hits: Readonly<Record<string, number>>): void => {
      // The proxy of the run tells of all that it does; elsewhere nobody does. Two rules may have hit one call: so many were at least.
      const least = Math.max(0, ...Object.values(hits));
      const counts = isElsewhere ? { calls: least, delivered: least } : world.front?.counts();
      if (counts !== undefined) world.onSample({ source: 'faults', atMs: world.nowMs(), ...counts, hits });
    };
    const count = async (at: AdminPlace): Promise<number> => {
      const hits = hitsIn(await askPlace(at, world, 'GET /chaos/status'), ids);
      if (!isReleased) tell(hits);
      return Object.values(hits).reduce((sum, one) => sum + one, 0);
    };
    const keepCounting = (at: AdminPlace): void => {
      if (isReleased) return;
      stopCounting = world.clock.schedule(COUNT_EVERY_MS, () => {
        // Who does not answer now may answer the next time; what was counted before stays.
        void count(at).then(
          () => keepCounting(at),
          () => keepCounting(at),
        );
      });
    };
    return {
      hits: checked.rules
        .filter(({ isEnabled }) => isEnabled)
        .map(
          ({ id, fault, when }) =>
            `rule ${id}: ${fault.type} on ${when.tool?.join(', ') ?? 'any tool'}${share === 1 ? '' : `, at ${percent(share)} of its dose`}`,
        ),
      steps: [
        {
          name: `inject ${ids.join(', ')} ${place === undefined ? 'into the proxy of the run' : `at ${place.adminUrl}`}`,
          undo: { kind: 'clear-rules', data: { ...(place ?? { adminUrl: null }), rules: ids } },
          async apply() {
            // A preview has no proxy, and does nothing.
            if (place === undefined) throw nowhere('the run has no proxy');
            // The latest comes first, so the first of the plan is injected last.
            for (const config of rules.toReversed()) await askPlace(place, world, 'POST /chaos/inject', { config, durationMs });
          },
        },
      ],
      isLasting: true,
      async verifyEffect() {
        if (place === undefined) return { isInEffect: false, proof: 'the run has no proxy' };
        const delivered = await count(place);
        if (delivered > 0 && !isCounting) keepCounting(place);
        isCounting ||= delivered > 0;
        return { isInEffect: delivered > 0, proof: `${delivered} calls were hit by ${ids.join(', ')}` };
      },
      async release() {
        isReleased = true;
        stopCounting();
      },
    };
  },
});

/** `slow (latency)` for each rule, as they were written: they are checked elsewhere. */
function ruleNames({ plan: given, file }: JsonObject): string {
  const rules = isObject(given) ? given['rules'] : given;
  if (!Array.isArray(rules)) return typeof file === 'string' ? file : 'no rules';
  return rules
    .map((rule) => {
      const { id, fault } = isObject(rule) ? rule : {};
      return `${typeof id === 'string' ? id : 'a rule'}${typeof fault === 'string' ? ` (${fault})` : ''}`;
    })
    .join(', ');
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;

const transportOf = ({ transport }: JsonObject): TransportName => TRANSPORTS.find((one) => one === transport) ?? 'http';

const shareOf = ({ share }: JsonObject): number => (typeof share === 'number' && share > 0 && share <= 1 ? share : 1);

const nowhere = (why: string): ToolquakeError =>
  new ToolquakeError('BAD_ARGUMENT', { message: `A step "plan" cannot act: ${why}.`, advice: WITHOUT_PLACE });

/** Our undo clears by id: it must never be the rule of somebody else. */
async function refuseTaken(place: AdminPlace, ids: readonly string[], world: Parameters<typeof askPlace>[1]): Promise<void> {
  const taken = idsIn(await askPlace(place, world, 'GET /chaos/status')).filter((id) => ids.includes(id));
  if (taken.length === 0) return;
  throw new ToolquakeError('DUPLICATE_ID', {
    message: `At ${place.adminUrl} there is a rule ${taken.join(', ')} already.`,
    advice: 'Give yours another id, or clear the one that is there.',
  });
}

/** Where the rules go; undefined: the proxy of the run, which is not there; a text says what is wrong. */
function placeOf(params: JsonObject, { front }: Pick<FeasibilityWorld, 'front'>): AdminPlace | string | undefined {
  const { where, adminUrl } = params;
  if (where === 'admin' || (where === undefined && adminUrl !== undefined)) {
    return adminUrl === undefined ? '"where: admin" needs adminUrl and tokenVariable' : readAdminPlace(params);
  }
  if (adminUrl !== undefined) return '"where: front" has no adminUrl of its own';
  return front === undefined ? undefined : { adminUrl: front.adminUrl, tokenVariable: front.adminTokenVariable };
}

/** How many calls each of these rules hit; a rule that is not there any more hits none. */
function hitsIn({ faults }: JsonObject, ids: readonly string[]): Readonly<Record<string, number>> {
  const all = (Array.isArray(faults) ? faults : []).filter(isObject);
  return Object.fromEntries(
    ids.map((id) => {
      const count = all.find((one) => one['id'] === id)?.['requestCount'];
      return [id, typeof count === 'number' ? count : 0];
    }),
  );
}

/** Ids of what is injected, and of the plan that it started with. */
function idsIn({ faults, rules }: JsonObject): readonly string[] {
  return [faults, rules].flatMap((list) => (Array.isArray(list) ? list.filter(isObject).map(({ id }) => String(id)) : []));
}
