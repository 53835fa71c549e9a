/** What to do about each finding: one sentence that a person can begin with. */
import { FINDINGS, type FindingName } from '../../core/run-entry.js';

const ADVICE: Readonly<Record<FindingName, string>> = {
  'missed-alert':
    'Make the alert rule see this fault (probe the health URL and a tool, not the protocol alone), check its channel, then "toolquake runs acknowledge".',
  'late-alert': 'Probe more often, or let fewer failures in a row raise the alert.',
  'wrong-reason': 'Let the health URL name what is broken, and pass its reason on in the alert.',
  'no-recovery-notice': 'Send a notice when the alert is resolved: people on call must know when to stop looking.',
  'false-positive': 'Look at the rule that fired while all was quiet: too short a window, or too few samples.',
  'crash-loop': 'Do not end the process when a dependency is gone: serve what works, and connect again with a backoff.',
  hang: 'Give every call to a dependency a time limit that is shorter than that of the caller, and answer with an error.',
  'silent-empty': 'Answer a failed lookup with an error (isError), never with an empty list.',
  'health-lies': 'Let the health URL try what the tools need, and answer 503 with a reason while it fails.',
  'manual-restart': 'Connect again by itself when the dependency is back: drop broken connections from the pool.',
  'not-restarted': 'Let a process manager start it again (PM2, systemd Restart=, Docker restart policy), and enable it.',
  'slow-recovery': 'Shorten the backoff and its cap, and check idle connections before they are used.',
  'retry-storm': 'Retry with a budget and with jitter, at one layer only, and honour what the server says about when.',
  'steady-violated': 'Read the rule that failed below: either the system needs a guard against this fault, or the rule is too strict.',
  'duplicate-effect': 'Give the operation an idempotency key, so that a second try finds the first.',
};

/** What to do about it. */
export const adviceFor = (name: FindingName): string => ADVICE[name];

/** `P1` or `P2`, and what it means. */
export const findingMeaning = (name: FindingName): { readonly priority: 'P1' | 'P2'; readonly meaning: string } => ({
  priority: FINDINGS[name][0],
  meaning: FINDINGS[name][1],
});

/** Of these the file of an experiment says nothing: they are told, and leave the verdict as it is. */
const BESIDE: readonly FindingName[] = ['false-positive', 'no-recovery-notice'];

/** With it, nobody can say that the hypothesis held. */
export const isContradicting = (name: FindingName): boolean => !BESIDE.includes(name);
