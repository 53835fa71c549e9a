import { defineCommand } from '../command.js';

/** Systems, plans and their seeds on virtual time. */
export const simulate = defineCommand({
  name: 'simulate',
  summary: 'Simulates a scenario, a system of your own or a fault plan on virtual time, over one seed or many.',
  positionals: [
    {
      name: 'SCENARIO',
      about: 'A shipped scenario (--list), a topology file, or a fault plan; without it, the headline of "toolquake demo".',
      isOptional: true,
    },
  ],
  options: [
    { flag: '--list', kind: 'switch', about: 'List the shipped scenarios.' },
    { flag: '--seed', kind: 'integer', value: 'SEED', min: 0, about: "The first seed; the file's own, or 42, unless told otherwise." },
    {
      flag: '--seeds',
      kind: 'integer',
      value: 'COUNT',
      min: 1,
      max: 100_000,
      about: "Seeds to run; results are means over them. The scenario's own number, or 1, unless told otherwise.",
    },
    {
      flag: '--sweep',
      kind: 'text',
      value: 'KEY=A,B,C',
      isRepeatable: true,
      about: 'Scenarios: run with each value of a key, for example servers.payment.pool=100,50,10. Several: every combination.',
    },
    { flag: '--variant', kind: 'text', value: 'NAME', about: 'Scenarios: only this variant.' },
    { flag: '--threads', kind: 'integer', value: 'COUNT', min: 1, max: 256, about: 'Scenarios: threads to use; all cores by default.' },
    { flag: '--html', kind: 'text', value: 'FILE', about: 'Also write a report with plots, one file that works offline.' },
    { flag: '--every-call', kind: 'switch', about: 'Scenarios: write every call into the journal, not only those that met a fault.' },
    { flag: '--tasks', kind: 'integer', value: 'TASKS', min: 1, max: 10_000_000, about: 'Plans: tasks per seed, 200 by default.' },
    { flag: '--fanout', kind: 'integer', value: 'CALLS', min: 1, max: 1000, about: 'Plans: tool calls per task, 8 by default.' },
    {
      flag: '--rate',
      kind: 'number',
      value: 'SHARE',
      min: 0,
      max: 1,
      about: 'Share of calls that fail in the headline, 0.02 unless told otherwise; a plan has its own.',
    },
    {
      flag: '--random',
      kind: 'text',
      value: 'SOURCE',
      about: 'Plans: where draws come from: keyed (plans, as live) or mersenne (the headline, as CPython).',
    },
    { flag: '--resilience', kind: 'text', value: 'WHICH', about: 'Plans: an agent with resilience on, off or both (default).' },
    { flag: '--era', kind: 'text', value: 'ERA', about: 'Plans: protocol era of the session, legacy (default) or modern.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Append what happened to a file; "toolquake report" renders it.' },
  ],
  examples: [
    'toolquake simulate --list',
    'toolquake simulate retry-storm',
    'toolquake simulate pool-cuts --seeds 20 --html pool-cuts.html',
    'toolquake simulate fan-out --sweep agents.planner.fanout=1,2,4,8,16,32',
    'toolquake simulate plan.yaml --tasks 1000 --seeds 50',
  ],
  async handle(args, io) {
    const { simulateAny } = await import('../simulate-any.js');
    return simulateAny(args, io);
  },
});
