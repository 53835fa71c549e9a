/** Rules, aborts and kill switches in any order: no call is left hanging, and none is executed twice. */
import { startPlan } from '@toolquake/sdk/controller';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { closing, post, resultOf, serve, ways } from './ways.js';

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** All that happens on its own, so many times over. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const STEPS = ['call', 'call', 'call', 'abort', 'use', 'use', 'drop', 'kill', 'wait'] as const;
const FAULTS = [
  'latency',
  'hang',
  'http-status',
  'connection-drop',
  'lost-ack',
  'pace',
  'stream-cut',
  'truncate',
  'freeze',
  'crash',
  'blackhole',
];
const step = fc.record({
  what: fc.constantFrom(...STEPS),
  which: fc.nat(99),
  fault: fc.constantFrom(...FAULTS),
  phase: fc.constantFrom('pre', 'post'),
});

test.each(Object.entries(ways))(
  '%s: whatever rules come and go, every call ends, and is executed once at most',
  async (_name, intercept) => {
    const server = await serve((response, id) => {
      response.setHeader('content-type', id % 2 === 0 ? 'application/json' : 'text/event-stream');
      const text = id % 2 === 0 ? resultOf(id) : `data: ${resultOf(id)}\n\n`;
      response.write(text.slice(0, 10), () => setImmediate(() => response.end(text.slice(10))));
    });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom('restore', 'stop'), async (steps, end) => {
        server.asked.length = 0;
        const run = startPlan({ seed: 42, rules: [] }, { isAllowed: () => true });
        const { fetch, restore } = intercept(run);
        const calls: { readonly ended: Promise<unknown>; readonly giveUp: AbortController }[] = [];
        const undos: (() => void)[] = [];
        for (const { what, which, fault, phase } of steps) {
          if (what === 'call') {
            const giveUp = new AbortController();
            const ended = fetch(server.url, post(++id, giveUp.signal)).then((response) => response.text());
            calls.push({ ended: ended.catch(() => {}), giveUp });
          } else if (what === 'abort') calls[which % (calls.length || 1)]?.giveUp.abort();
          else if (what === 'drop') undos.splice(which % (undos.length || 1), 1)[0]?.();
          else if (what === 'kill') {
            run.kill();
            run.revive();
          } else if (what === 'wait') await turns(which % 10);
          else {
            const hasPhases = !['lost-ack', 'truncate', 'freeze', 'http-status'].includes(fault);
            undos.push(run.use({ fault, probability: 0.5, ...(hasPhases ? { phase } : {}) }));
          }
        }
        if (end === 'restore') restore();
        else run.stop();
        await Promise.all(calls.map(({ ended }) => ended));
        run.stop();
        expect(new Set(server.asked).size).toBe(server.asked.length);
        expect(run.journal.filter(({ kind }) => kind === 'problem')).toEqual([]);
      }),
      { numRuns: 40 },
    );
  },
);
