import { defineAction } from '../action.js';

/** Changes nothing, and takes its time: a step between two others, or an experiment on the engine itself. */
export const wait = defineAction({
  type: 'wait',
  summary: 'Changes nothing: the next step begins when its time is over.',
  blast: 'none',
  params: {},
  worstCase: 'Nothing happens.',
  trips: [],
  scale: (params) => params,
  feasibility: async () => ({ isFeasible: true, how: 'nothing is needed' }),
  prepare: async () => ({
    hits: [],
    steps: [],
    verifyEffect: async () => ({ isInEffect: true, proof: 'there is nothing to see' }),
    release: async () => {},
  }),
});
