/** Words that all renderings of a smoke test share. */
import type { SmokeReport, SmokeState, SmokeWait } from '../smoke-report.js';

/** How a state is written. */
export const STATE_WORDS: Readonly<Record<SmokeState, string>> = {
  passed: 'ok',
  failed: 'FAIL',
  skipped: 'skip',
  inconclusive: 'UNSURE',
  unknown: 'UNKNOWN',
};

/** Seconds and milliseconds in few letters. */
export const shortTime = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** How long the server was waited for; empty when it was there at once. */
export function waitText({ attempts, waitedMs, maxMs, failure }: SmokeWait): string {
  if (attempts <= 1) return '';
  const last = failure === null ? '' : `, last: ${failure}`;
  return `waited ${shortTime(waitedMs)} of at most ${shortTime(maxMs)} for the server to be ready, ${attempts} attempts${last}`;
}

/** The verdict as a sentence. */
export function verdictText({ verdict, target, totalMs, steps }: SmokeReport): string {
  const names = steps.filter(({ state }) => state === verdict).map(({ step }) => step);
  switch (verdict) {
    case 'passed':
      return `${target} passed in ${shortTime(totalMs)}.`;
    case 'failed':
      return `${target} failed at ${names.join(', ')} after ${shortTime(totalMs)}: roll back, or repair.`;
    case 'inconclusive':
      return `${target}: nobody can tell (${names.join(', ')}).`;
    case 'unknown':
      return `${target} was not judged: the smoke test itself could not ${names.join(', ')}.`;
  }
}
