/** What is known about a failure reason, and a short way to write many of them down. Pure. */
/** `down`, `degraded`, `unknown` (our own side failed), `walled` (reachable, but credentials are needed), `warning`. */
export type FailureState = 'down' | 'degraded' | 'unknown' | 'walled' | 'warning';

/** What kind of thing went wrong, for those who route by less than the reason. */
export type FailureGroup =
  | 'probe'
  | 'dns'
  | 'network'
  | 'tls'
  | 'http'
  | 'auth'
  | 'transport'
  | 'protocol'
  | 'manifest'
  | 'canary'
  | 'health'
  | 'performance'
  | 'stdio';

/** One reason. `act` is what the reader should do; `alias` are coarser words that mean it, too. */
export type ReasonEntry = {
  readonly group: FailureGroup;
  readonly state: FailureState;
  readonly alias: readonly string[];
  readonly about: string;
  readonly act: string;
};

type Row = readonly [state: FailureState, alias: string, about: string, act: string];

/** A table of one group. */
export const rows = <const Names extends string>(group: FailureGroup, table: Readonly<Record<Names, Row>>): Record<Names, ReasonEntry> => {
  const entries = Object.entries<Row>(table).map(([name, [state, alias, about, act]]): [string, ReasonEntry] => [
    name,
    { group, state, alias: alias === '' ? [] : alias.split(' '), about, act },
  ]);
  // The names are those of the table that came in.
  return Object.fromEntries(entries) as Record<Names, ReasonEntry>;
};
