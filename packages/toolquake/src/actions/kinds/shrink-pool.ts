import { randomBytes } from 'node:crypto';
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { PreparedStep } from '../../core/prepared-action.js';
import { askPlace, readAdminPlace, type AdminPlace } from '../../undo/admin-of.js';
import { defineAction } from '../action.js';

const DEFAULT_LASTS_MS = 15 * 60_000;

/** Makes the pool of a service smaller from inside it: what waits, times out and fails afterwards is the doing of the service. */
export const shrinkPool = defineAction({
  type: 'shrink-pool',
  summary: 'Makes a connection pool of a service smaller, through the admin routes that the service has mounted.',
  blast: 'server',
  params: {
    adminUrls: {
      kind: 'list',
      item: { kind: 'text', pattern: /^https?:\/\/[^\s@]+$/, likeThis: 'http://127.0.0.1:3000', about: 'One replica.' },
      isRequired: true,
      about: 'The admin routes of each replica.',
    },
    tokenVariable: {
      kind: 'text',
      pattern: /^[A-Za-z_]\w*$/,
      likeThis: 'CHAOS_ADMIN_TOKEN',
      isRequired: true,
      about: 'The variable that holds their token.',
    },
    pool: { kind: 'text', pattern: /^[\w .:-]{1,100}$/, likeThis: 'orders', isRequired: true, about: 'The pool, as the service names it.' },
    percent: { kind: 'whole', min: 1, max: 99, about: 'How much is taken away, as a percentage of what the pool may have.' },
    max: { kind: 'whole', min: 1, max: 100_000, about: 'What the pool may have from then on, instead.' },
    replicas: {
      kind: 'whole',
      min: 1,
      max: 1000,
      about: 'How many of the replicas are cut, in the order of the list; all of them unless told otherwise.',
    },
    share: { kind: 'number', about: 'The share of the cut as written, above 0 and up to 1. Set by the ladder.' },
  },
  worstCase: 'The service has too few connections for its callers, and whoever gets none waits or fails, until the pools are restored.',
  trips: [],
  async settle(params) {
    const why = whyNonsense(params);
    if (why !== undefined) throw nonsense(why);
    return params;
  },
  scale: (params, share) => ({ ...params, share: shareOf(params) * share }),

  async feasibility(params, world) {
    const why = whyNonsense(params);
    if (why !== undefined) return { isFeasible: false, why, act: 'See docs/experiment-actions.md for what shrink-pool takes.' };
    const name = String(params['pool']);
    for (const place of placesOf(params)) {
      try {
        const { max } = await poolAt(place, name, world);
        if (max === 1)
          return { isFeasible: false, why: `the pool ${name} at ${place.adminUrl} may have one connection only`, act: NOTHING_LEFT };
      } catch (error) {
        const act = 'Mount the admin routes with { pools } in the service, start it with CHAOS_ENABLED=true, and set the token.';
        return { isFeasible: false, why: error instanceof Error ? error.message : String(error), act };
      }
    }
    return { isFeasible: true, how: `through the admin routes of ${placesOf(params).length} replicas` };
  },

  async prepare(params, world) {
    const why = whyNonsense(params);
    if (why !== undefined) throw nonsense(why);
    const name = String(params['pool']);
    const shrink = `${world.runId.replaceAll(/[^\w.:-]/g, '-').slice(0, 60)}.${randomBytes(4).toString('hex')}`;
    const id = /^[A-Za-z0-9]/.test(shrink) ? shrink : `run${shrink}`;
    const durationMs = Math.ceil(world.lastsMs ?? DEFAULT_LASTS_MS);
    const cuts = await Promise.all(
      placesOf(params).map(async (place) => {
        const before = maxOf(await poolAt(place, name, world));
        const max = cutOf(params, before);
        if (max >= before)
          throw new ToolquakeError('BAD_ARGUMENT', {
            message: `The pool "${name}" at ${place.adminUrl} may have ${before} connections, and would keep ${max}.`,
            advice: NOTHING_LEFT,
          });
        return { place, before, max };
      }),
    );
    return {
      hits: cuts.map(({ place, before, max }) => `pool ${name} at ${place.adminUrl}: ${before} -> ${max} connections`),
      steps: cuts.map(({ place, before, max }): PreparedStep => ({
        name: `shrink the pool ${name} at ${place.adminUrl} from ${before} to ${max}`,
        undo: { kind: 'restore-pool', data: { ...place, pool: name, shrink: id, max: before } },
        async apply() {
          await askPlace(place, world, `POST /chaos/pools/${encodeURIComponent(name)}`, { id, max, durationMs });
        },
      })),
      isLasting: true,
      async verifyEffect() {
        const now = await Promise.all(cuts.map(async ({ place, max }) => ({ max, pool: await poolAt(place, name, world) })));
        const said = now.map(({ pool }) => `max ${maxOf(pool)}, ${String(pool['total'])} open, ${String(pool['waiting'])} waiting`);
        return { isInEffect: now.every(({ max, pool }) => maxOf(pool) <= max), proof: said.join('; ') };
      },
      release: async () => {},
    };
  },
});

const nonsense = (why: string): ToolquakeError =>
  new ToolquakeError('BAD_ARGUMENT', { message: `A step "shrink-pool" cannot be used: ${why}.` });

const NOTHING_LEFT = 'Give the pool more connections: there must be something to take away, and one must stay.';

const shareOf = ({ share }: JsonObject): number => (typeof share === 'number' && share > 0 && share <= 1 ? share : 1);

const urlsOf = ({ adminUrls }: JsonObject): readonly unknown[] => (Array.isArray(adminUrls) ? adminUrls : []);

function placesOf(params: JsonObject): readonly AdminPlace[] {
  const { replicas, tokenVariable } = params;
  const urls = urlsOf(params);
  return urls
    .slice(0, typeof replicas === 'number' ? replicas : urls.length)
    .map((adminUrl) => readAdminPlace({ adminUrl, tokenVariable }));
}

function whyNonsense(params: JsonObject): string | undefined {
  const { percent, max, replicas } = params;
  if ((percent === undefined) === (max === undefined)) return 'it needs either "percent" or "max"';
  const urls = urlsOf(params).map(String);
  const { length } = urls;
  if (length === 0) return 'it needs the admin URL of at least one replica';
  // Admin routes are at the root, so a path tells no replicas apart. One that is named twice would be cut once and counted twice.
  const origins = urls.map((url) => (URL.canParse(url) ? new URL(url).origin : url));
  const twice = origins.find((origin, index) => origins.indexOf(origin) !== index);
  if (twice !== undefined) return `it names ${twice} twice`;
  if (typeof replicas === 'number' && replicas > length) return `it is to cut ${replicas} replicas, and names ${length}`;
  return undefined;
}

/** What is left of a pool; always at least 1, and always less than before, so that a cut is one. */
function cutOf(params: JsonObject, before: number): number {
  const { percent, max } = params;
  const full = typeof max === 'number' ? before - max : (before * Number(percent)) / 100;
  return Math.max(1, Math.min(before - 1, Math.round(before - full * shareOf(params))));
}

const maxOf = ({ max }: JsonObject): number => (typeof max === 'number' ? max : Number.NaN);

async function poolAt(place: AdminPlace, name: string, world: Parameters<typeof askPlace>[1]): Promise<JsonObject> {
  const { pools } = await askPlace(place, world, 'GET /chaos/pools');
  const listed = Array.isArray(pools) ? pools.filter(isObject) : [];
  const pool = listed.find((one) => one['name'] === name);
  if (pool === undefined) {
    const advice = `Pools there: ${listed.map((one) => String(one['name'])).join(', ') || 'none'}.`;
    throw new ToolquakeError('BAD_ARGUMENT', { message: `There is no pool "${name}" at ${place.adminUrl}.`, advice });
  }
  return pool;
}
