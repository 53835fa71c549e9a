/** The last block of a run at a terminal: what came of it, the figures, the proof of the undo, what was found, what to do next. */
import { printable } from '../escape.js';
import { duration, grouped, percent, type Paint } from '../figures.js';
import { disagreementText } from './disagreements.js';
import { adviceFor, findingMeaning } from './finding-advice.js';
import { brokenLines } from './event-lines.js';
import { nextSteps } from './next-steps.js';
import type { RunDigest } from './run-digest.js';
import { endOf, headlineOf, isGood, isUndone, notInjected, timeText, undoText, whyOf } from './run-story.js';

const TITLE_WIDTH = 14;
const INDENT = 2;

/** Lines without their ends. */
export function closingLines(digest: RunDigest, paint: Paint, width: number): readonly string[] {
  const { figures, lanes, findings, disagreements, undos } = digest;
  const room = Math.max(24, width - INDENT - TITLE_WIDTH);
  const block = (title: string, texts: readonly string[], tint: (text: string) => string = (text) => text): readonly string[] =>
    texts
      .flatMap((text) => brokenLines(printable(text), room))
      .map((line, index) => `${' '.repeat(INDENT)}${paint.dim((index === 0 ? title : '').padEnd(TITLE_WIDTH))}${tint(line)}`);
  const lane = (name: 'faulted' | 'control'): string =>
    lanes[name].calls === 0
      ? `${name} none`
      : `${name} ${grouped(lanes[name].calls)}, ${percent(lanes[name].failed / lanes[name].calls)} failed, p95 ${duration(lanes[name].latency.p95)}`;
  const word = headlineOf(endOf(digest)).toUpperCase();
  const verdict = isGood(digest) ? paint.green(paint.bold(word)) : paint.red(paint.bold(word));
  const why = brokenLines(printable(whyOf(digest)), room);
  return [
    `${' '.repeat(INDENT)}${verdict}${' '.repeat(Math.max(2, TITLE_WIDTH - word.length))}${word.length + 2 > TITLE_WIDTH ? '' : (why[0] ?? '')}`.trimEnd(),
    ...(word.length + 2 > TITLE_WIDTH ? why : why.slice(1)).map((line) => `${' '.repeat(INDENT + TITLE_WIDTH)}${line}`),
    ...block('but', disagreements.map(disagreementText), paint.red),
    '',
    ...block('MTTD', [`${timeText(figures.mttdMs).padEnd(12)}fault on to alert`]),
    ...block('MTTR', [`${timeText(figures.mttrMs).padEnd(12)}fault on to steady again by itself`]),
    ...block('recovery', [`${timeText(figures.recoveryMs).padEnd(12)}fault off to steady again`]),
    ...block('calls', [`${lane('faulted')}; ${lane('control')}`]),
    ...block(
      'not injected',
      notInjected(digest).map(({ id, why: reason }) => `${id}: ${reason}`),
      paint.red,
    ),
    ...block('undo', [undoText(digest)], isUndone(digest) ? paint.green : paint.red),
    ...block(
      '',
      undos.map(({ name, state, proof }) => `${name}: ${state}, ${proof}`),
    ),
    ...(findings.list.length === 0 ? [] : ['']),
    ...findings.list.flatMap(({ name, detail }) => [
      ...block(findingMeaning(name).priority, [name], paint.bold),
      ...block('', [detail, `→ ${adviceFor(name)}`]),
    ]),
    ...(findings.count > findings.list.length ? block('', [`and ${findings.count - findings.list.length} more findings`]) : []),
    '',
    ...block('next', nextSteps(digest)),
  ];
}
