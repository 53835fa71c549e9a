/** How bad a change is. A closed set: gates, reports and exit codes switch over it. */

/** Every level, worst first, with its letter in tables and what it means. */
export const LEVELS = {
  breaking: { letter: 'B', about: 'Clients that worked will fail.' },
  security: { letter: 'S', about: 'The change can be used against users, or takes a protection away: a person has to look.' },
  undecidable: { letter: 'U', about: 'Nobody can tell from the two manifests; it is never guessed to be compatible.' },
  'may-break': { letter: 'W', about: 'Some clients may fail or behave differently.' },
  text: { letter: 'T', about: 'Models read this text as instructions: they may choose and call differently.' },
  compatible: { letter: 'N', about: 'Every client that worked goes on working.' },
} as const;

/** A key of `LEVELS`. */
export type Level = keyof typeof LEVELS;

/** A JSON pointer's steps, before escaping. */
export type Steps = readonly (string | number)[];

/** RFC 6901. */
export const pointerOf = (steps: Steps): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
