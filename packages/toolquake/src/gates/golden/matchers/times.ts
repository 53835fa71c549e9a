import { atPaths, checkPaths, defineMatcher } from '../matcher.js';
import { momentOf } from '../moment.js';
import { shown } from '../shown.js';

const ONE_YEAR_MS = 366 * 86_400_000;

/** Times close to now. */
export const times = defineMatcher({
  word: 'times',
  field: {
    kind: 'map',
    item: {
      kind: 'group',
      about: 'A window around now.',
      fields: {
        past: { kind: 'time', max: ONE_YEAR_MS, about: 'How long ago it may be; 0 unless told otherwise.' },
        future: { kind: 'time', max: ONE_YEAR_MS, about: 'How far ahead it may be; 0 unless told otherwise.' },
      },
    },
    about: 'By path: a time (ISO, or seconds or milliseconds since 1970) within a window around now.',
  },
  example: '{ generatedAt: { past: 5m, future: 1m } }',
  isStable: (given) => Object.keys(given).length > 0,
  check: (given, path, reader) => checkPaths(Object.keys(given), path, reader),
  judge: (given, answer) =>
    atPaths(given, answer, (value, { pastMs, futureMs }, path) => {
      const at = momentOf(value);
      if (at === undefined) return `${path} is ${shown(value)}, a time expected`;
      const ageMs = answer.wallClockMs - at;
      if (ageMs > pastMs) return { says: `${path} is ${seconds(ageMs)} ago, at most ${seconds(pastMs)} expected`, reason: 'canary_stale' };
      return -ageMs > futureMs ? `${path} is ${seconds(-ageMs)} ahead, at most ${seconds(futureMs)} expected` : undefined;
    }),
});

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
