// Plays one scenario: the steady state holds, faults are injected, users ask, promises are checked, faults are cleared, and
// the steady state holds again. A fault that never fired fails it: what did not break proves nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineScenario, runScenario } from '@toolquake/sdk/assertions';
import { openWorld } from './world.mjs';

/** Only a scenario that hangs ever meets it: the example then fails, instead of standing still. */
const STUCK_MS = 20_000;

/** What the user of the endpoint saw, in a few words. */
function describeReply({ status, body }) {
  const { state, source, missing = [] } = body;
  const words = [
    state ?? body.error,
    ...(source === 'cache' ? ['from the cache'] : []),
    ...missing.map((what) => `without ${what.split(':')[0]}`),
  ];
  return `${status} ${words.join(', ')}`;
}

/** `weather-mcp get_forecast: hang (first 1)`. */
function describeRule({ fault, params = {}, when = {}, at }) {
  const what = [fault, ...(params.status === undefined ? [] : [params.status])].join(' ');
  const times = at === undefined ? '' : ` (first ${at.first})`;
  const where = when.tool === undefined ? when.target : `${when.target} ${when.tool}`;
  return `${where}: ${what}${times}`;
}

/** Ready to be read out: what was injected, seen, fired and recovered; `why` when a promise was broken. */
export async function play(scenario, redisPort) {
  const told = { name: scenario.name, injected: scenario.rules.map(describeRule).join(' + '), seen: '', fired: '', recovered: 'no' };
  const world = await openWorld(redisPort);
  const over = new AbortController();
  const stuck = sleep(STUCK_MS, undefined, { signal: over.signal }).then(() =>
    Promise.reject(new Error('Stuck: nobody gave up on what is held.')),
  );
  try {
    await Promise.race([perform(scenario, world, told), stuck]);
    return { ...told, recovered: 'yes' };
  } catch (error) {
    return { ...told, why: error.message };
  } finally {
    over.abort();
    stuck.catch(() => {});
    await world.close();
  }
}

async function perform(scenario, world, told) {
  const { name, rules, before, act, promises, recovery, stalls = false } = scenario;
  await world.isWell();
  await before?.(world);
  world.openBooks();
  // What is held up shall be held up until somebody gives up on it: time goes on, up to the next timer.
  if (stalls) world.run.listen(({ kind, state }) => kind === 'fault' && state === 'delivered' && setImmediate(() => world.clock.toNext()));
  const report = await runScenario(
    world.run,
    defineScenario({
      name,
      faults: rules.map((rule) => ({ rule })),
      assertions: Object.entries(promises).map(([promise, check]) => ({
        name: promise,
        check: ({ value }) => check(value, world),
      })),
    }),
    async () => {
      const value = await act(world);
      told.seen = [...new Set([value].flat().map(describeReply))].join('; then ');
      return value;
    },
  );
  told.fired = report.fired.join(' + ');
  await recovery?.(world);
  await world.isWell();
}
