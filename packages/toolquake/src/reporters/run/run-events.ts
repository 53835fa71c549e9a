/** What is worth a line of its own: what was done, and what changed. Samples are summed up elsewhere. */
import type { Phase } from '../../core/experiment.js';
import type { RunEntry, RuleReading } from '../../core/run-entry.js';
import { clipped } from '../digest/bounded-map.js';
import { duration, grouped } from '../figures.js';
import { findingMeaning } from './finding-advice.js';
import { ruleText } from './steady-book.js';

/** One line of a timeline. `mark` is one of a few words, so that lines can be scanned. */
export type RunEvent = {
  readonly atMs: number;
  readonly phase: Phase | '';
  readonly mark: string;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
};

type LastLook = { state?: 'steady' | 'broken' | 'unknown'; sinceMs?: number };

/** Tells, entry by entry, what is new. Journals of different runs need readers of their own. */
export function createEventReader(): (entry: RunEntry) => RunEvent | undefined {
  let phase: Phase | '' = '';
  // Where the system must heal itself, two sets of rules are looked at in turn during the fault: each has a state of its own.
  const looks = { now: {} as LastLook, healing: {} as LastLook };
  let isUp: boolean | undefined;
  let downSinceMs: number | undefined;
  let pid: number | undefined;

  return (entry) => {
    const event = (mark: string, tone: RunEvent['tone'], text: string): RunEvent => ({
      atMs: entry.atMs,
      phase,
      mark,
      tone,
      text: clipped(text),
    });
    switch (entry.kind) {
      case 'experiment':
      case 'verdict':
        return undefined;
      case 'build':
        return event('build', 'plain', entry.build);
      case 'phase':
        phase = entry.phase;
        return event('phase', 'plain', PHASE_TEXTS[entry.phase]);
      case 'precondition':
        return event(entry.isMet ? 'met' : 'NOT MET', entry.isMet ? 'good' : 'bad', `${entry.name}: ${entry.detail}`);
      case 'action': {
        const [mark, tone] = ACTION_MARKS[entry.state];
        const name = entry.id === entry.action ? entry.id : `${entry.id} (${entry.action})`;
        // What an action is about begins with its word, for those who read it alone.
        const detail = entry.detail?.startsWith(`${entry.action}: `) ? entry.detail.slice(entry.action.length + 2) : entry.detail;
        return event(mark, tone, `${name}${detail === undefined ? '' : `: ${detail}`}`);
      }
      case 'undo': {
        const isDone = entry.state !== 'not-undone';
        const by = entry.by === 'runner' ? '' : `, by the ${entry.by}`;
        return event(
          isDone ? entry.state : 'NOT UNDONE',
          isDone ? 'good' : 'bad',
          `${entry.name} in ${duration(entry.tookMs)}${by}: ${entry.proof}`,
        );
      }
      case 'steady': {
        const isHealing = entry.phase === 'after' && phase === 'during';
        const last = isHealing ? looks.healing : looks.now;
        const open = entry.rules.filter(({ state }) => state !== 'holds');
        const state = open.length === 0 ? 'steady' : open.some((rule) => rule.state === 'fails') ? 'broken' : 'unknown';
        // No rule at all is no news.
        if (entry.rules.length === 0 || last.state === state) return undefined;
        const before = last.state;
        last.state = state;
        const of = isHealing ? 'rules of recovery: ' : '';
        if (state !== 'steady') {
          if (before !== 'broken' && before !== 'unknown') last.sinceMs = entry.atMs;
          // Silence, and too little to say anything, is not yet bad.
          const [mark, tone] = state === 'broken' ? (['not steady', 'bad'] as const) : (['unknown', 'plain'] as const);
          return event(mark, tone, `${of}${open.map(readingText).join('; ')}`);
        }
        const lasted = last.sinceMs === undefined ? '' : `, after ${duration(entry.atMs - last.sinceMs)}`;
        const holding = entry.rules.length === 1 ? '1 rule holds' : `${grouped(entry.rules.length)} rules hold`;
        return event('steady', 'good', `${of}${before === undefined ? holding : `again${lasted}`}`);
      }
      case 'trip':
        return event('TRIPPED', 'bad', entry.why);
      case 'stop':
        return event('STOPPED', 'bad', `${entry.why}${entry.isAsked ? ' (asked for)' : ''}`);
      case 'alert': {
        const late = entry.sentAtMs === undefined ? '' : `, ${duration(Math.max(0, entry.atMs - entry.sentAtMs))} on the way`;
        return event(entry.state === 'firing' ? 'alert' : 'resolved', 'plain', `${entry.reason} (${entry.rule}${late})`);
      }
      case 'finding':
        return event(`finding ${findingMeaning(entry.name).priority}`, 'bad', `${entry.name}: ${entry.detail}`);
      case 'note':
        return event('note', 'plain', entry.text);
      case 'sample':
        if (entry.sample.source === 'process') {
          const before = pid;
          pid = entry.sample.pid;
          if (before === undefined || before === pid) return undefined;
          return pid === 0
            ? event('process', 'bad', `${before} is gone`)
            : event('process', 'plain', `${pid} is there${before === 0 ? '' : `, instead of ${before}`}`);
        }
        if (entry.sample.source !== 'probe' || entry.sample.isUp === isUp) return undefined;
        isUp = entry.sample.isUp;
        if (!isUp) {
          downSinceMs = entry.atMs;
          const { reason, step, healthReason } = entry.sample;
          return event(
            'probe down',
            'bad',
            [
              reason ?? 'unknown',
              ...(step === null ? [] : [`at ${step}`]),
              ...(healthReason === undefined ? [] : [`("${healthReason}")`]),
            ].join(' '),
          );
        }
        return event(
          'probe up',
          'good',
          downSinceMs === undefined ? 'the target works, seen from outside' : `again, after ${duration(entry.atMs - downSinceMs)}`,
        );
    }
  };
}

const PHASE_TEXTS: Readonly<Record<Phase, string>> = {
  preconditions: 'looking whether it may begin',
  before: 'the steady state must hold before anything is done',
  during: 'faults begin',
  undo: 'everything is put back',
  after: 'the steady state must come back',
};

const ACTION_MARKS: Readonly<Record<Extract<RunEntry, { kind: 'action' }>['state'], readonly [string, RunEvent['tone']]>> = {
  applying: ['applying', 'plain'],
  applied: ['applied', 'bad'],
  'in-effect': ['in effect', 'bad'],
  'not-in-effect': ['NO EFFECT', 'bad'],
  'ended-early': ['GONE EARLY', 'bad'],
  failed: ['FAILED', 'bad'],
};

function readingText(rule: RuleReading): string {
  const value = rule.value === null ? 'no value' : String(Number(rule.value.toPrecision(3)));
  const state = rule.state === 'few' ? ', too few samples' : rule.state === 'silent' ? ', silent' : '';
  return `${ruleText(rule)}: ${value}${state}`;
}
