import { defineUndo } from '../../core/undo-step.js';
import { findProcess, identitiesIn, signalProcess } from '../process-identity.js';

/** Lets processes go on that were stopped. One that ended meanwhile, or was started anew under another pid, needs nothing. */
export const thawProcess = defineUndo({
  kind: 'thaw-process',
  summary: 'Sends SIGCONT to exactly the processes that were stopped.',
  async undo(data) {
    // Children first: a parent that goes on may ask for them at once.
    for (const identity of identitiesIn(data['processes']).toReversed()) signalProcess(identity, 'SIGCONT');
  },
  async verify(data) {
    const named = identitiesIn(data['processes']);
    if (named.length === 0) return { is: 'not-undone', why: 'the ledger names no process that could be told from others' };
    const left = named.flatMap((identity) => findProcess(identity) ?? []);
    if (left.length === 0) return { is: 'gone', proof: `ended meanwhile: process ${named.map(({ pid }) => pid).join(', ')}` };
    const stopped = left.filter(({ state }) => state === 'T').map(({ pid }) => pid);
    if (stopped.length > 0) return { is: 'not-undone', why: `still stopped: process ${stopped.join(', ')}` };
    return { is: 'undone', proof: left.map(({ pid, state }) => `process ${pid} goes on (state ${state})`).join(', ') };
  },
});
