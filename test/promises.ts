/** What an experiment promises about safety, by number. A test that shows one has "invariant N" in its name. */

/** One promise. `elsewhere`: what shows it besides tests, or which part of the product it waits for. */
export type Promised = { readonly number: number; readonly promise: string; readonly elsewhere?: string };

/** See the module comment; docs/safety.md is made from it. */
export const promises: readonly Promised[] = [
  { number: 1, promise: 'The run is killed with SIGKILL at any step of its ledger: the world is as before within the undo deadline.' },
  { number: 2, promise: 'The run and its warden are both killed: the next start cleans up, or starts nothing.' },
  { number: 3, promise: 'The warden dies alone: the run stops and undoes.' },
  { number: 4, promise: 'The lease is measured on the monotonic clock: a jump of the host clock moves nothing.' },
  { number: 5, promise: 'The disk is full or read-only before a change: nothing is changed.' },
  { number: 6, promise: 'The last line of the ledger is torn: what stands before it is undone.' },
  { number: 7, promise: 'An undo fails or lies: the verdict is undo-failed, and nothing new starts.' },
  { number: 8, promise: 'An undo happens twice, or after somebody else did it: no error, and nobody else is harmed.' },
  { number: 9, promise: 'The target is restarted during the fault, with another pid: the undo finds it.' },
  { number: 10, promise: 'The target is gone: the step is closed as gone.' },
  {
    number: 11,
    promise: 'Rules and queues of others are the same afterwards, byte for byte; a root queue that somebody set up is refused.',
  },
  {
    number: 12,
    promise: 'Of runners that race for a server exactly one wins, and a holder that lost its lock cannot undo for the winner.',
  },
  { number: 13, promise: 'A source that is silent, stale, slow, failing or no number trips the tripwire.' },
  {
    number: 14,
    promise: 'From the trip to the fault being gone it takes 2 s at p99 under load.',
    elsewhere: '`node bench/experiments.mjs` measures it',
  },
  {
    number: 15,
    promise: 'Consent that a model wrote, an approval that was used, is too old or for something else, a plan edited since: refused.',
    elsewhere: 'the part about models comes with the MCP server',
  },
  {
    number: 16,
    promise: 'A hook that is missing, crashes, is slow or is led around: the engine still refuses.',
    elsewhere: 'comes with the MCP server',
  },
  {
    number: 17,
    promise: 'The policy file is missing or unreadable: everything but stopping is refused.',
    elsewhere: 'comes with the MCP server',
  },
  { number: 18, promise: 'A stage is skipped, the one below said nothing, or the build is new: refused.' },
  { number: 19, promise: 'Stopping works when nothing else does.' },
  { number: 20, promise: 'Calls that are not meant keep every byte; what passing by costs them is in `bench/`.' },
  { number: 21, promise: 'The dose is what was asked for, within binomial bounds; the same seed hits the same calls.' },
  { number: 22, promise: 'Nothing is green when not one call was hit, or no effect was seen.' },
  { number: 23, promise: 'A violation during the fault counts, also when it recovers.' },
  { number: 24, promise: 'Newlines, semicolons and words that look like options, in any parameter, reach no shell and no option.' },
  { number: 25, promise: 'Secrets stand in no journal and no report.' },
  { number: 26, promise: 'No fault reaches the warden, the monitor or the run itself.' },
  { number: 27, promise: 'A stdio proxy is killed: its client sees a clean end, and its server is no orphan.' },
  { number: 28, promise: 'With lost answers, a server that books once holds, and one that books twice is found.' },
  { number: 29, promise: 'A halt outlives a restart.' },
  { number: 30, promise: 'The figures of a report are those that its journal gives.' },
];
