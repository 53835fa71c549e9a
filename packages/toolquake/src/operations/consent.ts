/** May a stage begin? A small one on one's own machine needs a word; every other needs the approval of a person. */
import { isIP } from 'node:net';
import { ToolquakeError } from '@toolquake/sdk/core';
import { takeApproval, type ApprovalPlace } from './approvals.js';
import type { ConfiguredTarget } from '../config/configured-target.js';

/** What is asked. */
export type ConsentQuestion = {
  readonly stage: number;
  /** From this stage on, nothing but an approval helps. */
  readonly approvalFromStage: number;
  readonly target: ConfiguredTarget;
  readonly digest: string;
  /** `--yes`. */
  readonly isYes: boolean;
  readonly place: ApprovalPlace;
  readonly now: Date;
  /** Asks a person at the terminal; undefined where there is none. */
  readonly ask?: (() => Promise<boolean>) | undefined;
};

/** How it was agreed to. */
export type Consent = { readonly by: 'yes' | 'terminal' } | { readonly by: 'approval'; readonly who: string; readonly at: string };

/** Resolves to how it was agreed to; rejects with `NOT_ALLOWED` when it was not. An approval is used up. */
export async function consent(question: ConsentQuestion): Promise<Consent> {
  const { stage, approvalFromStage, target, digest, isYes, place, now, ask } = question;
  const isSmall = stage === 1 && stage < approvalFromStage;
  if (isSmall && isYes && isOnThisHost(target)) return { by: 'yes' };
  const taken = takeApproval(place, digest, now);
  if ('approval' in taken) return { by: 'approval', who: taken.approval.who, at: taken.approval.at };
  if (isSmall && ask !== undefined) {
    if (await ask()) return { by: 'terminal' };
    throw new ToolquakeError('NOT_ALLOWED', { message: 'Nobody agreed, so nothing was started.' });
  }
  throw new ToolquakeError('NOT_ALLOWED', {
    message: `Stage ${stage} needs the approval of a person, and ${taken.why}.${isYes ? ` ${whyNotYes(question)}` : ''}`,
    advice: `${isSmall && isOnThisHost(target) ? 'Add --yes, or in' : 'In'} a terminal: toolquake approve ${digest}`,
  });
}

function whyNotYes({ stage, approvalFromStage, target }: ConsentQuestion): string {
  if (stage > 1) return '"--yes" is for stage 1 alone.';
  if (stage >= approvalFromStage) return 'The experiment wants an approval from this stage on, so "--yes" is not enough.';
  return isOnThisHost(target) ? '' : '"--yes" is for targets on this host alone.';
}

/** A command that we start, or an address that never leaves this machine. */
export function isOnThisHost({ target }: ConfiguredTarget): boolean {
  if (target.kind === 'command') return true;
  if (!URL.canParse(target.url)) return false;
  const host = new URL(target.url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === 'localhost';
}
