/** Shipped experiments as a test runs them: the same files, with the lines that are anybody's own filled in, and all times divided. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMap, isScalar, parseDocument, visit, type Document, type Pair, type Scalar } from 'yaml';

const FOLDER = new URL('../../../packages/toolquake/experiments/', import.meta.url);

/** Where the shipped files are. */
export const SHIPPED: string = fileURLToPath(FOLDER);

/** How many times faster than life: a probe every 60 s becomes one every half second. With FULL_LENGTH=1 nothing is divided. */
export const SPEED: number = process.env['FULL_LENGTH'] === '1' ? 1 : 120;

/** What a place in the file is to hold, a place as in `actions[0].params.port`; undefined: nothing. */
export type Changes = Readonly<Record<string, unknown>>;

/** What is not divided: how long a machine takes for it does not depend on how often it is looked at. */
const REAL = new Set(['timeout', 'retryDelay', 'delayMs', 'deadline', 'ttl', 'heartbeat', 'maxRuntime']);
/** Starting a process, or a pause of a busy host, takes as long as it takes: who is back within this time is back in time. */
const LEAST_MS: Readonly<Record<string, number>> = { recoverWithin: 10_000 };
const LEAST_OUTAGE_SECONDS = 10;
/** The host is looked at once a second, however short the probes are apart: a window has to hold a few of these looks. */
const LEAST_HOST_WINDOW_MS = 4000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const TIME = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** A shipped experiment for a server of a test. Throws when a change touches a line that is not marked as anybody's own. */
export function adapted(
  name: string,
  changes: Changes,
  { speed = SPEED, besides = {} }: { speed?: number; besides?: Changes } = {},
): string {
  const text = readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8');
  const document = parseDocument(text);
  for (const [place, value] of Object.entries(changes)) {
    if (!isYours(text, document, pathOf(place))) throw new Error(`${name}.yaml: ${place} is not marked "yours".`);
    document.setIn(pathOf(place), value);
  }
  for (const [place, value] of Object.entries(besides)) {
    if (value === undefined) document.deleteIn(pathOf(place));
    else document.setIn(pathOf(place), value);
  }
  divide(document, speed);
  if (speed > 1) document.setIn(['times', 'tick'], '100ms');
  return document.toString({ lineWidth: 0 });
}

const pathOf = (place: string): (string | number)[] =>
  place
    .split(/[.[\]]+/)
    .filter((word) => word !== '')
    .map((word) => (/^\d+$/.test(word) ? Number(word) : word));

function isYours(text: string, document: Document, path: readonly (string | number)[]): boolean {
  const node = document.getIn(path, true) as Scalar | undefined;
  const start = node?.range?.[0] ?? 0;
  const line = text.slice(text.lastIndexOf('\n', start) + 1, text.indexOf('\n', start));
  // A list is anybody's own when its first entry is.
  const next = text.slice(text.indexOf('\n', start) + 1).split('\n', 1)[0]!;
  return line.includes('# yours') || (!isScalar(node) && next.includes('# yours'));
}

/** Divides every time, and the bounds of signals that are seconds. */
function divide(document: Document, speed: number): void {
  visit(document, {
    Pair(_, pair) {
      const { key, value } = pair as Pair<Scalar, unknown>;
      if (!isScalar(value) || typeof value.value !== 'string' || REAL.has(String(key.value))) return;
      const found = TIME.exec(value.value);
      if (found === null) return;
      const wholeMs = Number(found[1]) * UNIT_MS[found[2]!]!;
      const leastMs = Math.min(wholeMs, LEAST_MS[String(key.value)] ?? 1);
      value.value = `${Math.max(leastMs, Math.round(wholeMs / speed))}ms`;
    },
    Map(_, map) {
      if (!isMap(map)) return;
      // Divided below, when its pairs are visited.
      if (String(map.get('signal')).startsWith('host_') && speed > 1) map.set('window', `${LEAST_HOST_WINDOW_MS * speed}ms`);
      if (!String(map.get('signal')).endsWith('_seconds')) return;
      for (const bound of ['atLeast', 'atMost', 'above', 'below']) {
        const value: unknown = map.get(bound);
        const least = map.get('signal') === 'outage_seconds' ? LEAST_OUTAGE_SECONDS : 0;
        if (typeof value === 'number') map.set(bound, Math.max(Math.min(value, least), value / speed));
      }
    },
  });
}
