/** What a report says in words: the end, why, what was not injected, what to do next. The same in every format. */
import type { Verdict } from '../../core/experiment.js';
import { duration, grouped, many, percent } from '../figures.js';
import { lastWords, notUndone, type ActionRecord } from './fault-book.js';
import type { RunDigest } from './run-digest.js';
import { isFault } from './run-figures.js';

/** How a run ended; `unfinished` where the journal ends without a verdict. */
export type RunEnd = Verdict | 'unfinished';

/** What the verdict of the journal says. */
export function endOf({ verdict }: Pick<RunDigest, 'verdict'>): RunEnd {
  return verdict?.verdict ?? 'unfinished';
}

/** The same, unless the rest of the journal proves a worse one: nothing ends well because its last line says so. */
export function provenEndOf({ verdict, openVerdicts: [open] }: Pick<RunDigest, 'verdict' | 'openVerdicts'>): RunEnd {
  if (verdict === undefined || open === undefined) return endOf({ verdict });
  return verdict.verdict === 'held' || open === 'undo-failed' ? open : verdict.verdict;
}

const HEADLINES: Readonly<Record<RunEnd, string>> = {
  held: 'Held',
  violated: 'Violated',
  aborted: 'Aborted',
  inconclusive: 'Inconclusive',
  'not-injected': 'Not injected',
  'undo-failed': 'Undo failed',
  unfinished: 'Unfinished',
};

/** For headings. */
export const headlineOf = (end: RunEnd): string => HEADLINES[end];

/** Is it an end that nobody has to act on? */
export const isGood = (digest: RunDigest): boolean => endOf(digest) === 'held' && digest.disagreements.length === 0;

/** One sentence. */
export function whyOf({ verdict, isTorn, lastMs }: RunDigest): string {
  if (verdict !== undefined) return verdict.why;
  return `The journal ends after ${duration(lastMs)}${isTorn ? ' in the middle of a line' : ''} without a verdict: the run was killed, or is still going on. "toolquake leftovers" lists what it may have left behind.`;
}

/** `stage 1 of 3 (10 %)`. */
export function stageText({ about }: RunDigest): string {
  return about === undefined ? 'n/a' : `stage ${about.stage} of ${about.stages} (${Number(about.dose.toPrecision(3))} %)`;
}

/** The run in one line. */
export function subjectText(digest: RunDigest): string {
  const { about } = digest;
  if (about === undefined) return 'a run whose first entry is missing';
  return `${about.experiment}, ${stageText(digest)}, on ${about.target} (${about.environment})`;
}

/** Why not one action was begun, as a clause; undefined where one was, or where nothing tells. */
export function whyNotBegun({ preconditions, actions, stops, phases, about, verdict }: RunDigest): string | undefined {
  if (actions.some(({ state }) => state !== 'planned')) return undefined;
  const unmet = preconditions.list.filter(({ isMet }) => !isMet).map(({ name }) => `"${name}"`);
  if (unmet.length > 0) return `${unmet.join(', ')} ${unmet.length === 1 ? 'was' : 'were'} not met`;
  if (stops.count > 0) return 'the run was stopped before';
  if (about?.isDryRun === true) return 'this was a dry run';
  // A run that was killed, or goes on, may have been as steady as it should.
  const isBaseline = verdict !== undefined && phases.at(-1)?.phase === 'before' && phases.every(({ phase }) => phase !== 'during');
  return isBaseline ? 'the target was not steady before' : undefined;
}

/** Every action that did not reach its target, and why. */
export function notInjected(digest: RunDigest): readonly { readonly id: string; readonly action: string; readonly why: string }[] {
  const reason = whyNotBegun(digest);
  return digest.actions.flatMap((one) => {
    const why = one.state === 'planned' && reason !== undefined ? `it was never begun, as ${reason}` : missingText(one);
    return why === undefined ? [] : [{ id: one.id, action: one.action, why }];
  });
}

function missingText({ blast, state, onMs, seenMs, detail }: ActionRecord): string | undefined {
  const more = detail === undefined ? '' : `: ${detail}`;
  if (state === 'planned') return 'it was never begun';
  if (state === 'failed') return `it failed${more}`;
  if (state === 'not-in-effect') return `its effect was looked for and not found${more}`;
  if (state === 'ended-early') return `its effect was seen, and did not last${more}`;
  if (onMs === undefined) return 'it was begun, and nothing says that it was done';
  return seenMs === undefined && isFault({ blast }) ? 'it was done, and nobody saw its effect' : undefined;
}

/** Are all changes taken back, by the last word on each? */
export function undoText(digest: RunDigest): string {
  const { undos, actions } = digest;
  const open = notUndone(undos);
  if (open.length > 0) return `${many(open.length, 'change')} not proved to be undone: ${open.map(({ name }) => name).join(', ')}.`;
  if (!isUndone(digest)) return 'The journal ends before anything was undone.';
  if (undos.length === 0)
    return actions.every(({ begunMs }) => begunMs === undefined)
      ? 'Nothing was changed, so there was nothing to undo.'
      : 'There is no undo in the journal: what was done ends by itself.';
  return `${many(lastWords(undos).length, 'change')} undone, each verified by reading the world anew, in ${duration(undos.reduce((sum, { tookMs }) => sum + tookMs, 0))}.`;
}

/** Is nothing left behind? A run that was killed between fault and undo has not proved it. */
export function isUndone({ undos, actions, phases, verdict }: RunDigest): boolean {
  const wasDone = actions.some((one) => isFault(one) && one.begunMs !== undefined);
  const wasTold = verdict !== undefined || undos.length > 0 || phases.some(({ phase }) => phase === 'after');
  return (!wasDone || wasTold) && notUndone(undos).length === 0;
}

/** One paragraph for a post-mortem, evidence first. */
export function paragraphOf(digest: RunDigest): string {
  const { lanes, probes, moments, figures, alerts } = digest;
  const lane = (name: 'faulted' | 'control'): string =>
    lanes[name].calls === 0
      ? `no ${name} call was seen`
      : `of ${grouped(lanes[name].calls)} ${name} calls ${percent(lanes[name].failed / lanes[name].calls)} failed (p95 ${duration(lanes[name].latency.p95)})`;
  const firing = alerts.list.find(({ state, atMs }) => state === 'firing' && atMs === moments.alertMs);
  return [
    faultText(digest),
    `${capital(lane('faulted'))}; ${lane('control')}.`,
    probes.probes === 0
      ? 'No probe from outside was seen.'
      : `${grouped(probes.down)} of ${many(probes.probes, 'probe')} found the target down.`,
    moments.faultOnMs === undefined
      ? ''
      : firing === undefined
        ? 'No alert came.'
        : `The alert (${firing.reason}) came ${duration(figures.mttdMs ?? undefined)} after the fault.`,
    moments.faultOnMs === undefined
      ? ''
      : moments.steadyAgainMs === undefined
        ? 'The steady state was not seen to come back.'
        : steadyText(digest),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** What is known of the fault, and no more: one whose effect nobody saw was not at work. */
function faultText({ actions, moments: { faultOnMs, faultOffMs } }: RunDigest): string {
  const begun = actions.filter((one) => isFault(one) && one.begunMs !== undefined);
  if (begun.length === 0) return 'No fault was at work at any time.';
  if (faultOnMs === undefined) return 'A fault began to be made, and nothing says that it was at work.';
  const end = faultOffMs === undefined ? ', and nothing says that it ended' : ` to ${duration(faultOffMs)}`;
  if (begun.some(({ seenMs }) => seenMs !== undefined)) return `The fault was at work from ${duration(faultOnMs)}${end}.`;
  return `The fault was there from ${duration(faultOnMs)}${end}, and nobody saw its effect.`;
}

function steadyText({ moments, figures, undos }: RunDigest): string {
  const { healedMs } = moments;
  if (healedMs !== undefined && figures.mttrMs !== null)
    return `All was steady again ${duration(figures.mttrMs)} after the fault began, while it was still there.`;
  if (notUndone(undos).length > 0) return 'All was steady in the end, with a change that is not proved to be undone.';
  return figures.recoveryMs === null ? 'All was steady again.' : `All was steady ${duration(figures.recoveryMs)} after the fault was gone.`;
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** `3.2 s`, or `n/a` where it did not happen. */
export const timeText = (ms: number | null | undefined): string => duration(ms ?? undefined);
