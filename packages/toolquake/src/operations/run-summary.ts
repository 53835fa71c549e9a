/** What a list says of a run, from its journal alone, whatever its size. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { VERDICTS, type Verdict } from '../core/experiment.js';
import { FINDINGS, type FindingName } from '../core/run-entry.js';
import type { RunSummary } from '../core/run-summary.js';
import { readLines } from './journal-lines.js';

/** Samples are most of a journal, and say nothing here: they are not even parsed. */
const TELLING = /"kind":\s*"(?:experiment|build|finding|verdict)"/;

/** Undefined for what is no journal of a run. A torn or foreign line is passed over. */
export async function summaryOf(runId: string, journal: string): Promise<Omit<RunSummary, 'acknowledged'> | undefined> {
  let head: JsonObject | undefined;
  let build: string | undefined;
  let end: JsonObject | undefined;
  const findings: { name: FindingName; detail: string }[] = [];
  try {
    await readLines(journal, {
      onLine(text) {
        const entry = text !== undefined && TELLING.test(text) ? parsed(text) : undefined;
        if (entry === undefined) return;
        if (entry['kind'] === 'experiment') head ??= entry;
        else if (entry['kind'] === 'build') build = String(entry['build']);
        else if (entry['kind'] === 'verdict') end = entry;
        else if (entry['kind'] === 'finding' && isFinding(entry['name']))
          findings.push({ name: entry['name'], detail: textOf(entry, 'detail') });
      },
    });
  } catch {
    // A folder in its place, or no right to read it: it is no run that we can speak of.
    return undefined;
  }
  if (head === undefined) return undefined;
  const startedAt = textOf(head, 'startedAt');
  return {
    runId,
    experiment: textOf(head, 'experiment'),
    question: textOf(head, 'question'),
    target: textOf(head, 'target'),
    targetDigest: typeof head['targetDigest'] === 'string' ? head['targetDigest'] : undefined,
    environment: textOf(head, 'environment'),
    faultDigest: textOf(head, 'faultDigest'),
    planDigest: textOf(head, 'planDigest'),
    build,
    stage: numberOf(head, 'stage'),
    stages: numberOf(head, 'stages'),
    dose: numberOf(head, 'dose'),
    isDryRun: head['isDryRun'] === true,
    startedAt,
    verdict: VERDICTS.find((verdict): verdict is Verdict => verdict === end?.['verdict']) ?? 'unfinished',
    why: end === undefined ? '' : textOf(end, 'why'),
    endedAt: end === undefined ? undefined : later(startedAt, numberOf(end, 'atMs')),
    mttdMs: timeOf(end, 'mttdMs'),
    mttrMs: timeOf(end, 'mttrMs'),
    isStopped: end?.['isStopped'] === true,
    findings,
  };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isFinding = (word: unknown): word is FindingName => typeof word === 'string' && Object.hasOwn(FINDINGS, word);
const textOf = (entry: JsonObject, key: string): string => (typeof entry[key] === 'string' ? entry[key] : '');
const numberOf = (entry: JsonObject, key: string): number => (typeof entry[key] === 'number' ? entry[key] : 0);

function timeOf(entry: JsonObject | undefined, key: string): number | null {
  const value = entry?.[key];
  return typeof value === 'number' ? value : null;
}

function later(startedAt: string, ms: number): string | undefined {
  const at = Date.parse(startedAt) + ms;
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
}
